"""Redis keys of the pattern pages: the comparison of queues, demonstrations, measured figures."""

from apps.redis_kit import schema

COMPARED_QUEUE = schema.key(
    "kit:compared:{<run>}:queue",
    type="list",
    about="messages of a run of bench-queues that nobody took; the channel of pub/sub has the same name",
    writer="queue_designs",
    expiry="10 minutes after the last message; removed at the end of the run",
    expendable="a comparison's",
)


COMPARED_STREAM = schema.key(
    "kit:compared:{<run>}:stream",
    type="stream",
    about="messages of a run of bench-queues that are not finished",
    writer="queue_designs",
    expiry="10 minutes after the last message; removed at the end of the run",
    expendable="a comparison's",
)

COMPARED_BACKUP = schema.key(
    "kit:compared:{<run>}:held",
    type="list",
    about="the message that the consumer of a list with backup has taken",
    writer="queue_designs",
    expiry="none; removed at the end of the run",
    expendable="a comparison's",
)


COMPARED_KEYS = (COMPARED_QUEUE, COMPARED_BACKUP, COMPARED_STREAM)

_SCRATCH_TYPES: tuple[schema.KeyType, ...] = ("string", "hash", "list", "set", "zset", "stream")
SCRATCH = {
    type_: schema.key(
        f"patterns:scratch:{{<run>}}:{type_}:<name>",
        type=type_,
        about=f"a {type_} of one demonstration of a pattern page",
        writer="scratch.key",
        expiry="removed at the end of its run, or after 1 minute by a later run",
        expendable="a demonstration's",
    )
    for type_ in _SCRATCH_TYPES
}
SCRATCH_NAMES = schema.key(
    "patterns:scratch-names",
    type="zset",
    about="the keys of demonstrations under way, scored by the unix second after which they are forgotten",
    writer="scratch.own",
    expiry="none; empty when no demonstration is under way",
    expendable="a killed demonstration's keys stay behind",
)
COMPARED = schema.key(
    "patterns:compared:<pattern>",
    type="string",
    about="the newest measured comparison of a pattern, as JSON",
    writer="comparisons.store",
    expiry="90 days",
    expendable="its page shows the figures that come with the project",
)
