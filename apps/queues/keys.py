"""Redis keys of the queues app, all on the broker's server."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

TASK_STARTS = schema.key(
    "queues:starts:<task>",
    type="string",
    about=_("how often the run of a task was begun and not finished; on the broker's server"),
    writer="task_counts.count_start, task_counts.clear_starts",
    expiry=_("1 day after the last start"),
    expendable=_("a task that kills its workers gets a few starts more"),
)
HOURLY_FAILURES = schema.key(
    "queues:failures:<hour>",
    type="hash",
    about=_("runs of a task (by name) that failed in an hour, those tried again too; on the broker's server"),
    writer="task_counts.count_failure",
    expiry=_("3 hours after the last failure"),
    expendable=_("statistics start over"),
)
PENDING_FAILURES = schema.key(
    "queues:pending-failures",
    type="list",
    about=_("tasks that died while SQL was away, as JSON; on the broker's server"),
    writer="failed_tasks.record_failure, failed_tasks.flush_pending",
    expiry=_("none; emptied by a task each minute"),
    expendable=_("they are in the log too"),
    private=_("arguments of tasks"),
)

DELAYED_DUE = schema.key(
    "queues:delayed:due",
    type="zset",
    about=_("delayed jobs by the millisecond they are due; on the broker's server"),
    writer="delayed.schedule, delayed.cancel, delayed.reschedule, lua/move_due_jobs",
    expiry=_("none"),
    expendable=_("deadlines are in SQL: whoever schedules a job sweeps for what was missed"),
)


DELAYED_JOBS = schema.key(
    "queues:delayed:jobs",
    type="hash",
    about=_("job key -> queue number, task id and Celery's message, until its run is over"),
    writer="delayed.schedule, delayed.cancel, lua/confirm_job",
    expiry=_("none"),
    expendable=_("as queues:delayed:due"),
    private=_("arguments of tasks"),
)


DELAYED_BATCHES = schema.key(
    "queues:delayed:batches",
    type="zset",
    about=_("jobs that were handed over together, by the millisecond at which the unfinished are once more"),
    writer="lua/move_due_jobs",
    expiry=_("none"),
    expendable=_("as queues:delayed:due"),
)


CELERY_QUEUE = schema.key(
    "kit:queue:<queue>",
    type="list",
    about=_("a Celery queue: high, normal or low; on the broker's server"),
    writer="Celery, lua/move_due_jobs",
    expiry=_("none"),
    expendable=_("what must happen is in SQL too: outbox rows, deadlines, notes that were not delivered"),
    private=_("arguments of tasks"),
)

_BY_KOMBU = _("what must happen is in SQL too; a worker that starts declares its queues again")

BINDINGS = schema.key(
    "kit:queue:_kombu.binding.<exchange>",
    type="set",
    about=_("which queues an exchange of Celery's library Kombu has; on the broker's server"),
    writer="Kombu",
    expiry=_("none"),
    expendable=_BY_KOMBU,
)
PERMANENT_BINDINGS = schema.key(
    "kit:queue:_kombu.binding_permanent.<exchange>",
    type="set",
    about=_("those of them that stay without a worker; on the broker's server"),
    writer="Kombu",
    expiry=_("none"),
    expendable=_BY_KOMBU,
)
BINDING_DEADLINES = schema.key(
    "kit:queue:_kombu.binding_deadlines",
    type="zset",
    about=_("the others by the second at which they end; on the broker's server"),
    writer="Kombu",
    expiry=_("none"),
    expendable=_BY_KOMBU,
)
UNACKED = schema.key(
    "kit:queue:unacked",
    type="hash",
    about=_("tasks that a worker has taken and not finished, by their tags; on the broker's server"),
    writer="Kombu",
    expiry=_("none"),
    expendable=_BY_KOMBU,
    private=_("arguments of tasks"),
)
UNACKED_INDEX = schema.key(
    "kit:queue:unacked_index",
    type="zset",
    about=_("the same tags by the second in which they were taken"),
    writer="Kombu",
    expiry=_("none"),
    expendable=_BY_KOMBU,
)
UNACKED_MUTEX = schema.key(
    "kit:queue:unacked_mutex",
    type="string",
    about=_("one worker at a time gives tasks of dead workers back"),
    writer="Kombu",
    expiry=_("30 seconds"),
    expendable=_BY_KOMBU,
)
