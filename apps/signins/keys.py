"""Redis keys of check-ins.

A person's months share a cluster slot; the leaderboards of all days share another.
"""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

_REBUILT_FROM = "apps.signins.reconcile:rebuild"

CHECK_IN_MONTH = schema.key(
    "signins:{<user>}:month:<month>",
    type="string",
    about=_(
        "32 bits: one for each day of the month (yyyymm); the last one is set when the month is complete"
    ),
    writer="bitmaps.fill_masks",
    expiry=_("62 days after it was written"),
    rebuilt_from=_REBUILT_FROM,
)
LEADERBOARD = schema.key(
    "signins:{leaders}:board:<day>",
    type="zset",
    about=_("people whose streak continues on a day (yyyymmdd): user id, scored by the streak in days"),
    writer="leaderboard.add_streaks",
    expiry=_("3 days after the last check-in that added to it"),
    rebuilt_from=_REBUILT_FROM,
)
LEADERBOARD_COMPLETE = schema.key(
    "signins:{leaders}:whole:<day>",
    type="string",
    about=_("present when that day's leaderboard is complete; without it readers query SQL"),
    writer="leaderboard.rebuild",
    expiry=_("2 days"),
    rebuilt_from=_REBUILT_FROM,
)
