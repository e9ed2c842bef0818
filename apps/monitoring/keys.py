"""Redis keys of the monitoring."""

from apps.redis_kit import schema

REBUILD = schema.key(
    "monitoring:rebuild:<name>",
    type="hash",
    about="a rebuild asked for in the admin: state, done, total, by, detail",
    writer="rebuilding",
    expiry="1 hour after its last step",
    expendable="shows progress; the rebuild itself does not read it",
)
REBUILDING = schema.key(
    "monitoring:rebuilding:<name>",
    type="string",
    about="one rebuild of a kind at a time",
    writer="rebuilding",
    expiry="1 minute after its last step",
    expendable="rebuilds are safe to run twice",
)
PERSISTENCE = schema.key(
    "monitoring:persistence",
    type="string",
    about="what bench-persistence measured last, as JSON: claims a second, p99, lost claims by setting",
    writer="persistence.measurements.save",
    expiry="none",
    expendable="measure again",
)
WRITE_PROBE = schema.key(
    "monitoring:write-probe",
    type="string",
    about="never there: by changing it if it were, the readiness check learns whether Redis takes writes",
    writer="health_checks.redis_takes_writes",
    expiry="none",
    expendable="nobody reads it",
)
