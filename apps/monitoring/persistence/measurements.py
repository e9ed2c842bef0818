"""What `make bench-persistence` measured last, kept for the admin's page."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime

from django.utils import timezone

from apps.monitoring import keys
from apps.redis_kit import client


@dataclass(frozen=True)
class Measurement:
    """One setting on this machine's disk: speed, and what a kill -9 right after the last answer lost."""

    mode: str
    claims_per_second: float
    p99_ms: float
    accepted: int
    lost: int


@dataclass(frozen=True)
class Report:
    """The measurements by setting, and when they were made."""

    measured_at: datetime
    by_mode: dict[str, Measurement]


NOTHING_MEASURED: dict[str, Measurement] = {}


def save(measurements: list[Measurement]) -> None:
    """Keep the measurements in place of the last ones."""
    report = {"measured_at": timezone.now().isoformat(), "rows": [asdict(row) for row in measurements]}
    client.get().set(keys.PERSISTENCE(), json.dumps(report))


def read() -> Report | None:
    """The last measurements, or None; raises client.UNAVAILABLE."""
    raw = client.get().get(keys.PERSISTENCE())
    try:
        report = json.loads(raw) if raw else None
        rows = [Measurement(**row) for row in report["rows"]] if report else []
        measured_at = datetime.fromisoformat(report["measured_at"]) if report else None
    except (ValueError, TypeError, KeyError):
        return None
    return Report(measured_at, {row.mode: row for row in rows}) if measured_at else None
