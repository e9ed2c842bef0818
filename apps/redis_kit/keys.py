from apps.redis_kit import schema

ID_CLOCK = schema.key(
    "kit:ids:<noun>",
    type="hash",
    about="second and per-day counter of the newest id of a noun",
    writer="lua/reserve_ids",
    expiry="2 days after the last id",
    expendable="a new clock starts at the present second, past every id that was made",
)

LIMIT = schema.key(
    "kit:hits:{<family>}:<name>:<subject>",
    type="string",
    about="microseconds (16 digits) of one subject's newest hits under one limit, never more than it allows",
    writer="lua/hit_limits",
    expiry="the limit's period after the last hit",
    expendable="a window starts empty; costly things keep a daily count in SQL",
)

CACHE_GENERATION = schema.key(
    "kit:cache:generation:<group>",
    type="string",
    about="entries of a cache group filled under another generation count as absent",
    writer="cache.Cache.invalidate_group",
    expiry="none",
    expendable="without it every entry of the group is absent and loads again",
)

CACHE_COUNTS = schema.key(
    "kit:cache:counts:<cache>",
    type="hash",
    about="hit, miss, stale, rebuild and refused of one cache, since the key began",
    writer="cache.Cache",
    expiry="none",
    expendable="statistics start over",
)

MEMORY_AREAS = schema.key(
    "kit:memory-areas",
    type="hash",
    about="area -> bytes that it was last measured to hold, and bytes that it may hold (0: no limit)",
    writer="eviction.save_uses",
    expiry="5 minutes",
    expendable="the monitoring measures again within a minute",
)

LOCK_HOLDERS = schema.key(
    "kit:lock:{<name>}:holders",
    type="zset",
    about='holders of a lock or permit: "mode|owner|acquisition" scored by the ms in which the lease ends',
    writer="lua/acquire_lock, lua/release_lock, lua/extend_lock",
    expiry="the last lease",
    expendable="a lost lock delays or repeats work; data that this could harm compares fencing tokens",
    private="tokens of holders",
)

LOCK_WAITERS = schema.key(
    "kit:lock:{<name>}:waiters",
    type="zset",
    about="the waiters of a lock, by turn",
    writer="lua/acquire_lock, lua/release_lock",
    expiry="1 minute after the last waiter asked",
    expendable="every waiter asks again within seconds",
    private="tokens of waiters",
)

LOCK_STATE = schema.key(
    "kit:lock:{<name>}:state",
    type="hash",
    about="fence: the newest fencing token; and for each woken waiter its millisecond",
    writer="lua/acquire_lock, lua/release_lock, lua/extend_lock",
    expiry="1 day after the last use",
    expendable="a new token is the server's microsecond or one past the caller's last, so it still rises",
    private="tokens of waiters",
)

PLAIN_LOCK = schema.key(
    "kit:lock:<name>",
    type="string",
    about="the random value of a plain lock's holder",
    writer="plain.plain",
    expiry="its lease",
    expendable="a lost lock repeats work that bears being repeated",
    private="tokens of holders",
)
