from apps.redis_kit import schema

ID_CLOCK = schema.key(
    "kit:ids:<noun>",
    type="hash",
    about="second and per-day counter of the newest id of a noun",
    writer="ids.next_ids",
    expiry="2 days after the last id",
    expendable="a new clock starts at the present second, past every id that was made",
)

LIMIT = schema.key(
    "kit:limit:{<family>}:<name>:<subject>",
    type="zset",
    about="hits of one subject (a digest) under one limit, scored by microsecond",
    writer="limiter.hit",
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
