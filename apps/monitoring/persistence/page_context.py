"""What the admin's page about persistence shows."""

from typing import Any

from apps.monitoring.persistence import losses, measurements, server_state

#: Names in INFO, in bytes and as numbers.
SIZES = ("aof_current_size", "aof_base_size", "used_memory")
NUMBERS = (
    "rdb_changes_since_last_save",
    "aof_last_rewrite_time_sec",
    "aof_delayed_fsync",
    "aof_pending_bio_fsync",
)


def build() -> dict[str, Any]:
    """State, losses, warnings and measurements; raises client.UNAVAILABLE."""
    state, report = server_state.read(), measurements.read()
    measured = report.by_mode if report else measurements.NOTHING_MEASURED
    return {
        "state": state,
        "report": report,
        "losses": losses.list_losses(state, measured),
        "warnings": losses.list_warnings(state, measured),
        "sizes": {name: state.number(name) for name in ("aof_current_size", "aof_base_size", "used_memory")},
        "numbers": {name: state.number(name) for name in NUMBERS},
        "is_rewriting": state.number("aof_rewrite_in_progress") > 0,
        "is_saving": state.number("rdb_bgsave_in_progress") > 0,
    }
