from apps.redis_kit import schema

STARTS = schema.key(
    "queues:starts:<task>",
    type="string",
    about="how often the run of a task was begun and not finished; on the broker's server",
    writer="starts.count, forget",
    expiry="1 day after the last start",
    expendable="a task that kills its workers gets a few starts more",
)
FAILURES = schema.key(
    "queues:failures:<hour>",
    type="hash",
    about="runs of a task (by name) that failed in an hour, those tried again too; on the broker's server",
    writer="failures.count",
    expiry="3 hours after the last failure",
    expendable="statistics start over",
)
UNBURIED = schema.key(
    "queues:unburied",
    type="list",
    about="tasks that died while SQL was away, as JSON; on the broker's server",
    writer="dead.bury, dead.bury_kept",
    expiry="none; emptied by a task each minute",
    expendable="they are in the log too",
)
