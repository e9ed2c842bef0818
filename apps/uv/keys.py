"""Redis keys of visits. A scope is the whole site or a kind of page; all days of a scope share a slot."""

from datetime import timedelta

from apps.redis_kit import eviction, schema
from apps.redis_kit.schema import marked as _

#: A month and the days that a snapshot may be late by.
DAYS_KEPT = timedelta(days=40)
#: What somebody looked at two months ago is no longer recent.
RECENT_KEPT = timedelta(days=60)
#: Most visitors without a log-in never come back, and a program opens pages without end.
FIRST_VIEW_KEPT = timedelta(minutes=30)
#: A ranking that nobody has added to for so long has no "now".
POPULAR_KEPT = timedelta(days=30)

_DAY = _("40 days after the day's last view")
_COUNTED = _("a HyperLogLog can't be made from SQL's numbers; the daily snapshots in SQL keep the history")

VIEWS = schema.key(
    "uv:{<scope>}:views:<day>",
    type="hash",
    about=_('page views of a day: "all", and object id -> views of at most 20,000 objects'),
    writer="counting.count, lua/view_object",
    expiry=_DAY,
    expendable=_("the snapshots in SQL keep the history; today's count goes on from zero"),
)
VISITORS = schema.key(
    "uv:{<scope>}:visitors:<day>",
    type="string",
    about=_("HyperLogLog of the day's visitors, each a keyed hash of a random cookie"),
    writer="counting.count",
    expiry=_DAY,
    expendable=_COUNTED,
)
OBJECT_VISITORS = schema.key(
    "uv:{<scope>}:object-visitors:<day>:<object>",
    type="string",
    about=_("HyperLogLog of the day's visitors of one object, for at most 20,000 objects of a kind"),
    writer="lua/view_object",
    expiry=_DAY,
    expendable=_COUNTED,
)
POPULAR = schema.key(
    "uv:{<scope>}:popular",
    type="zset",
    about=_("the 1,000 most visited objects: id -> visits, each weighing 2^((its time - epoch) / half-life)"),
    writer="lua/view_object",
    expiry=_("30 days after the last visit"),
    expendable=_("what is popular now shows again within the hour"),
)
POPULAR_EPOCH = schema.key(
    "uv:{<scope>}:popular-epoch",
    type="string",
    about=_("unix seconds at which a visit weighs 1; without it the ranking starts over"),
    writer="lua/view_object",
    expiry=_("30 days after the last visit"),
    expendable=_("what is popular now shows again within the hour"),
)
RECENT = schema.key(
    "uv:recent:<who>",
    type="zset",
    about=_('the 25 newest objects somebody looked at, as "kind:id" -> unix ms; u<user id> or v<visitor>'),
    writer="counting.count, recent.move_to_person, recent.clear",
    expiry=_("60 days after the last view; 30 minutes after a visitor's first, until there is another"),
    expendable=_("a convenience that fills again as one looks around"),
    private=_("what a person looked at"),
)

#: Past it views are not counted: they are what a site can miss first.
VIEWS_BUDGET = eviction.MemoryBudget("views", connection="stats", keys=[RECENT], quota=0.1, share=0.7)
