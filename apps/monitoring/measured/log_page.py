"""The newest log lines and the most common messages, for the admin's page."""

from typing import Any

from apps.metrics import keys, log_lines
from apps.metrics.log_lines import SEVERITIES, LogSource
from apps.redis_kit import client

#: Rows of each table of common messages.
MAX_COMMON = 20


def context(severity: str, logger: str) -> dict[str, Any]:
    """Lines of this severity and logger ("": of any) and common messages, or `away` while Redis is."""
    chosen = {"severity": severity, "logger": logger}
    connected = client.get(keys.CONNECTION)
    try:
        sources = log_lines.sources(connected)
        wanted = [one for one in sources if is_wanted(one, severity, logger)]
        return chosen | {
            "severities": [one for one in SEVERITIES if any(one == source.severity for source in sources)],
            "loggers": sorted({source.logger for source in sources}),
            "lines": log_lines.newest(connected, wanted),
            "this_hour": log_lines.most_common(connected, "this", most=MAX_COMMON),
            "last_hour": log_lines.most_common(connected, "last", most=MAX_COMMON),
        }
    except client.UNAVAILABLE:
        return chosen | {"away": True}


def is_wanted(source: LogSource, severity: str, logger: str) -> bool:
    """Whether lines of this source are of the severity and the logger ("": of any)."""
    return severity in {"", source.severity} and logger in {"", source.logger}
