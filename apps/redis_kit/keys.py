from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

ID_CLOCK = schema.key(
    "kit:ids:<noun>",
    type="hash",
    about=_("second and per-day counter of the newest id of a noun"),
    writer="lua/reserve_ids",
    expiry=_("2 days after the last id"),
    expendable=_("a new clock starts at the present second, past every id that was made"),
)

LIMIT = schema.key(
    "kit:hits:{<family>}:<name>:<subject>",
    type="string",
    about=_(
        "microseconds (16 digits) of one subject's newest hits under one limit, never more than it allows"
    ),
    writer="lua/hit_limits",
    expiry=_("the limit's period after the last hit"),
    expendable=_("a window starts empty; costly things keep a daily count in SQL"),
)

CACHE_GENERATION = schema.key(
    "kit:cache:generation:<group>",
    type="string",
    about=_("entries of a cache group filled under another generation count as absent"),
    writer="cache.Cache.invalidate_group",
    expiry=_("none"),
    expendable=_("without it every entry of the group is absent and loads again"),
)

CACHE_COUNTS = schema.key(
    "kit:cache:counts:<cache>",
    type="hash",
    about=_("hit, miss, stale, rebuild and refused of one cache, since the key began"),
    writer="cache.Cache",
    expiry=_("none"),
    expendable=_("statistics start over"),
)

MEMORY_AREAS = schema.key(
    "kit:memory-areas",
    type="hash",
    about=_("area -> bytes that it was last measured to hold, and bytes that it may hold (0: no limit)"),
    writer="eviction.save_uses",
    expiry=_("5 minutes"),
    expendable=_("the monitoring measures again within a minute"),
)

LOCK_HOLDERS = schema.key(
    "kit:lock:{<name>}:holders",
    type="zset",
    about=_('holders of a lock or permit: "mode|owner|acquisition" scored by the ms in which the lease ends'),
    writer="lua/acquire_lock, lua/release_lock, lua/extend_lock",
    expiry=_("the last lease"),
    expendable=_("a lost lock delays or repeats work; data that this could harm compares fencing tokens"),
    private=_("tokens of holders"),
)

LOCK_WAITERS = schema.key(
    "kit:lock:{<name>}:waiters",
    type="zset",
    about=_("the waiters of a lock, by turn"),
    writer="lua/acquire_lock, lua/release_lock",
    expiry=_("1 minute after the last waiter asked"),
    expendable=_("every waiter asks again within seconds"),
    private=_("tokens of waiters"),
)

LOCK_STATE = schema.key(
    "kit:lock:{<name>}:state",
    type="hash",
    about=_("fence: the newest fencing token; and for each woken waiter its millisecond"),
    writer="lua/acquire_lock, lua/release_lock, lua/extend_lock",
    expiry=_("1 day after the last use"),
    expendable=_("a new token is the server's microsecond or one past the caller's last, so it still rises"),
    private=_("tokens of waiters"),
)

PLAIN_LOCK = schema.key(
    "kit:lock:<name>",
    type="string",
    about=_("the random value of a plain lock's holder"),
    writer="exclusive.plain",
    expiry=_("its lease"),
    expendable=_("a lost lock repeats work that bears being repeated"),
    private=_("tokens of holders"),
)
