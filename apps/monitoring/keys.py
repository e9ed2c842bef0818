"""Redis keys of the monitoring."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

REBUILD = schema.key(
    "monitoring:rebuild:<name>",
    type="hash",
    about=_("a rebuild asked for in the admin: state, done, total, by, detail"),
    writer="rebuilding",
    expiry=_("1 hour after its last step"),
    expendable=_("shows progress; the rebuild itself does not read it"),
)
REBUILDING = schema.key(
    "monitoring:rebuilding:<name>",
    type="string",
    about=_("one rebuild of a kind at a time"),
    writer="rebuilding",
    expiry=_("1 minute after its last step"),
    expendable=_("rebuilds are safe to run twice"),
)
PERSISTENCE = schema.key(
    "monitoring:persistence",
    type="string",
    about=_("what bench-persistence measured last, as JSON: claims a second, p99, lost claims by setting"),
    writer="persistence.save",
    expiry=_("none"),
    expendable=_("measure again"),
)
WRITE_PROBE = schema.key(
    "monitoring:write-probe",
    type="string",
    about=_("never there: by changing it if it were, the readiness check learns whether Redis takes writes"),
    writer="health.redis_takes_writes",
    expiry=_("none"),
    expendable=_("nobody reads it"),
)
