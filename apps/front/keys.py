"""Redis keys of live streams: recent events, and whether all of them are there."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

EVENTS = schema.key(
    "front:events:<subject>",
    type="stream",
    about=_("the latest 256 events of a person's live streams, by the microsecond"),
    writer="lua/publish_event, live.histories.read",
    expiry=_("20 minutes after a stream was last opened"),
    expendable=_("who comes back without it is told to load everything again"),
    private=_("a person's messages and orders"),
)
EPOCH = schema.key(
    "front:events_epoch",
    type="string",
    about=_("a random number; another one says that the recent events were lost meanwhile"),
    writer="live.histories.read",
    expiry=_("none"),
    expendable=_("without it each stream that comes back is told to load everything again"),
)
