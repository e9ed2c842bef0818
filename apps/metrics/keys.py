"""Redis keys of what the site measures of itself. All share a slot: one script call writes a second."""

from datetime import timedelta
from functools import lru_cache

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

#: Their connection in settings.REDIS_CONNECTIONS.
CONNECTION = "metrics"
#: Seconds that a sample of a counter covers.
PRECISIONS = (1, 5, 60, 300, 3_600, 18_000, 86_400)
#: Those of an hour and longer.
LONG_PRECISIONS = PRECISIONS[4:]
#: Samples that the cleaner keeps of each precision.
SAMPLES_KEPT = 120
#: Statistics cover this hour and the last; a view that nobody opens for longer is forgotten.
TIMINGS_KEPT = timedelta(hours=3)
LINES_KEPT, MESSAGES_KEPT = timedelta(days=7), timedelta(hours=2)

_MEASURED = _("measurements of the past; they start over")

COUNTER = schema.key(
    "metrics:{all}:counter:<precision>:<name>",
    type="hash",
    about=_("events of a name: unix second at which a sample of <precision> seconds begins -> events"),
    writer="lua/add_samples, lua/clean_counter, counters.add_past",
    expiry=_("121 samples after the newest one"),
    expendable=_MEASURED,
)
COUNTERS = schema.key(
    "metrics:{all}:counters",
    type="zset",
    about=_("names of counters by the unix second of their newest event"),
    writer="lua/add_samples, lua/clean_counter, counters.add_past",
    expiry=_("none: the cleaner removes a name with its last sample"),
    expendable=_MEASURED,
)
TIMING = schema.key(
    "metrics:{all}:timing:<hour>:<context>",
    type="hash",
    about=_("durations of a view, verb or task in an hour (this, last): count, sums, extremes, buckets"),
    writer="lua/add_samples",
    expiry=_("3 hours after the last duration"),
    expendable=_MEASURED,
)
TIMINGS = schema.key(
    "metrics:{all}:timings",
    type="zset",
    about=_("measured views, verbs and tasks by the unix second of their last duration"),
    writer="lua/add_samples",
    expiry=_("3 hours after the last duration"),
    expendable=_MEASURED,
)
TOTALS = schema.key(
    "metrics:{all}:totals",
    type="hash",
    about=_("sums since the key began, for /metrics: requests by route and status, durations, events"),
    writer="lua/add_samples",
    expiry=_("none"),
    expendable=_("Prometheus takes sums that start over for a restart"),
)
PROCESS = schema.key(
    "metrics:{all}:process:<process>",
    type="hash",
    about=_("a living process: role, and of each of its Redis pools connections in use and limit"),
    writer="sending.report",
    expiry=_("15 seconds after its last report"),
    expendable=_("every process reports again within 5 seconds"),
)
PROCESSES = schema.key(
    "metrics:{all}:processes",
    type="zset",
    about=_("processes by the unix second of their last report"),
    writer="sending.report",
    expiry=_("15 seconds after the last report"),
    expendable=_("every process reports again within 5 seconds"),
)
LOG = schema.key(
    "metrics:{all}:log:<name>",
    type="list",
    about=_('the newest 100 lines of a "severity|logger": unix seconds and text, without tokens and phones'),
    writer="lua/add_logs",
    expiry=_("7 days after the last line"),
    expendable=_MEASURED,
)
LOGGERS = schema.key(
    "metrics:{all}:loggers",
    type="zset",
    about=_('each "severity|logger" with lines by the unix second of its newest one, at most 200'),
    writer="lua/add_logs",
    expiry=_("7 days after the last line"),
    expendable=_MEASURED,
)
MESSAGES = schema.key(
    "metrics:{all}:messages:<hour>",
    type="zset",
    about=_('the 500 most common "severity|logger|message" of an hour (this, last), without arguments'),
    writer="lua/add_logs",
    expiry=_("2 hours after the last message"),
    expendable=_MEASURED,
)
MESSAGES_HOUR = schema.key(
    "metrics:{all}:message-hour",
    type="string",
    about=_("the hour of this hour's messages, in hours since 1970"),
    writer="lua/add_logs",
    expiry=_("2 hours after the last message"),
    expendable=_MEASURED,
)


@lru_cache(maxsize=1_000)
def counter_keys(name: str) -> list[str]:
    """The keys of a counter, one a precision; don't edit the list."""
    return [COUNTER(precision=precision, name=name) for precision in PRECISIONS]


@lru_cache(maxsize=1_000)
def timing_keys(context: str) -> list[str]:
    """The keys of a context's durations: of this hour and of the last; don't edit the list."""
    return [TIMING(hour=hour, context=context) for hour in ("this", "last")]


def log_name(severity: str, logger: str) -> str:
    """A logger with a severity as part of a key."""
    return f"{severity}|{logger}"
