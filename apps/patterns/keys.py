"""Redis keys of the queue comparison (compare_queues)."""

from apps.redis_kit import schema

COMPARED_QUEUE = schema.key(
    "kit:compared:{<run>}:queue",
    type="list",
    about="messages of a run of compare_queues that nobody took; the channel of pub/sub has the same name",
    writer="designs",
    expiry="10 minutes after the last message; removed at the end of the run",
    expendable="a comparison's",
)


COMPARED_STREAM = schema.key(
    "kit:compared:{<run>}:stream",
    type="stream",
    about="messages of a run of compare_queues that are not finished",
    writer="designs",
    expiry="10 minutes after the last message; removed at the end of the run",
    expendable="a comparison's",
)

COMPARED_BACKUP = schema.key(
    "kit:compared:{<run>}:held",
    type="list",
    about="the message that the consumer of a list with backup has taken",
    writer="designs",
    expiry="none; removed at the end of the run",
    expendable="a comparison's",
)


COMPARED_KEYS = (COMPARED_QUEUE, COMPARED_BACKUP, COMPARED_STREAM)
