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
    "kit:hits:{<family>}:<name>:<subject>",
    type="string",
    about="microseconds (16 digits) of one subject's newest hits under one limit, never more than it allows",
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

LOCK_HOLDERS = schema.key(
    "kit:lock:{<name>}:holders",
    type="zset",
    about='who holds a lock or permit: "mode|owner|acquisition" scored by the millisecond their lease ends',
    writer="locks: lua/lock_acquire, lock_release, lock_extend",
    expiry="the last lease",
    expendable="a lock is a promise of moments; what must survive its loss compares fencing tokens",
)

LOCK_WAITERS = schema.key(
    "kit:lock:{<name>}:waiters",
    type="zset",
    about="who waits, by turn",
    writer="locks: lua/lock_acquire, lock_release",
    expiry="1 minute after the last waiter asked",
    expendable="every waiter asks again within seconds",
)

LOCK_STATE = schema.key(
    "kit:lock:{<name>}:state",
    type="hash",
    about="fence: the newest fencing token; and of each woken waiter the millisecond",
    writer="locks: lua/lock_acquire, lock_release, lock_extend",
    expiry="1 day after the last use",
    expendable="a new token is the server's microsecond or one past the caller's last, so it still rises",
)

PLAIN_LOCK = schema.key(
    "kit:lock:<name>",
    type="string",
    about="the random value of whoever holds a plain lock",
    writer="locks.plain",
    expiry="its lease",
    expendable="a lock is a promise of moments",
)

DELAYED_DUE = schema.key(
    "kit:delayed:due",
    type="zset",
    about="delayed jobs by the millisecond they are due; on the broker's server",
    writer="delayed.schedule, cancel, reschedule, move",
    expiry="none",
    expendable="deadlines are in SQL: whoever schedules a job sweeps for what was missed",
)

DELAYED_JOBS = schema.key(
    "kit:delayed:messages",
    type="hash",
    about="delayed job -> Celery's message, until its run is over",
    writer="delayed.schedule, cancel, confirm",
    expiry="none",
    expendable="as kit:delayed:due",
)

DELAYED_HANDED = schema.key(
    "kit:delayed:batches",
    type="zset",
    about="jobs that were handed over together, by the millisecond at which the unfinished are once more",
    writer="delayed.move",
    expiry="none",
    expendable="as kit:delayed:due",
)

QUEUE = schema.key(
    "kit:queue:<queue>",
    type="list",
    about="a Celery queue: high, normal or low; on the broker's server",
    writer="Celery, lua/delayed_move",
    expiry="none",
    expendable="what must happen is in SQL too: outbox rows, deadlines, notes that were not delivered",
)

COMPARED_QUEUE = schema.key(
    "kit:compared:{<run>}:queue",
    type="list",
    about="messages of a run of compare_queues that nobody took; the channel of pub/sub has the same name",
    writer="compared.designs",
    expiry="10 minutes after the last message; removed at the end of the run",
    expendable="a comparison's",
)

COMPARED_HELD = schema.key(
    "kit:compared:{<run>}:held",
    type="list",
    about="the message that the consumer of a list with backup has taken",
    writer="compared.designs",
    expiry="none; removed at the end of the run",
    expendable="a comparison's",
)

COMPARED_STREAM = schema.key(
    "kit:compared:{<run>}:stream",
    type="stream",
    about="messages of a run of compare_queues that are not finished",
    writer="compared.designs",
    expiry="10 minutes after the last message; removed at the end of the run",
    expendable="a comparison's",
)

COMPARED = (COMPARED_QUEUE, COMPARED_HELD, COMPARED_STREAM)
