"""Redis keys of the pattern pages: the comparison of queues, demonstrations, measured figures."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

COMPARED_QUEUE = schema.key(
    "kit:compared:{<run>}:queue",
    type="list",
    about=_("messages of a run of bench-queues that nobody took; the channel of pub/sub has the same name"),
    writer="queue_designs",
    expiry=_("10 minutes after the last message; removed at the end of the run"),
    expendable=_("a comparison's"),
)


COMPARED_STREAM = schema.key(
    "kit:compared:{<run>}:stream",
    type="stream",
    about=_("messages of a run of bench-queues that are not finished"),
    writer="queue_designs",
    expiry=_("10 minutes after the last message; removed at the end of the run"),
    expendable=_("a comparison's"),
)

COMPARED_BACKUP = schema.key(
    "kit:compared:{<run>}:held",
    type="list",
    about=_("the message that the consumer of a list with backup has taken"),
    writer="queue_designs",
    expiry=_("none; removed at the end of the run"),
    expendable=_("a comparison's"),
)


COMPARED_KEYS = (COMPARED_QUEUE, COMPARED_BACKUP, COMPARED_STREAM)

_SCRATCH_TYPES: tuple[schema.KeyType, ...] = ("string", "hash", "list", "set", "zset", "stream")
SCRATCH = {
    type_: schema.key(
        f"patterns:scratch:{{<run>}}:{type_}:<name>",
        type=type_,
        about=_("what one demonstration of a pattern page works on"),
        writer="scratch.key",
        expiry=_("removed at the end of its run, or after 1 minute by a later run"),
        expendable=_("a demonstration's"),
    )
    for type_ in _SCRATCH_TYPES
}
SCRATCH_NAMES = schema.key(
    "patterns:scratch-names",
    type="zset",
    about=_("the keys of demonstrations under way, scored by the unix second after which they are forgotten"),
    writer="scratch.own",
    expiry=_("none; empty when no demonstration is under way"),
    expendable=_("a killed demonstration's keys stay behind"),
)
COMPARED = schema.key(
    "patterns:compared:<pattern>",
    type="string",
    about=_("the newest measured comparison of a pattern, as JSON"),
    writer="comparisons.store",
    expiry=_("90 days"),
    expendable=_("its page shows the figures that come with the project"),
)
