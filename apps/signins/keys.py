"""Keys of the sign-ins. A person's months share a slot, and so do the boards of leaders."""

from apps.redis_kit import schema

_REBUILT_FROM = "apps.signins.streaks.rebuilding:rebuild"

CHECK_IN_MONTH = schema.key(
    "signins:{<user>}:month:<month>",
    type="string",
    about="32 bits: one for each day of the month (yyyymm), the last one says that the month is whole",
    writer="bitmaps.fill",
    expiry="62 days after it was written",
    rebuilt_from=_REBUILT_FROM,
)
LEADERBOARD = schema.key(
    "signins:{leaders}:board:<day>",
    type="zset",
    about="whose streak is alive on a day (yyyymmdd): user id, scored by the streak",
    writer="leaders.enter",
    expiry="3 days after the last sign-in that entered it",
    rebuilt_from=_REBUILT_FROM,
)
LEADERBOARD_COMPLETE = schema.key(
    "signins:{leaders}:whole:<day>",
    type="string",
    about="the board of that day holds everybody; without it readers ask SQL",
    writer="leaders.rebuild",
    expiry="2 days",
    rebuilt_from=_REBUILT_FROM,
)
