"""Runs parts of the reconciliation, by hand or on the schedule, and keeps what came of each."""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta

from django.db import DatabaseError
from django.utils import timezone

from apps.monitoring.models import ReconcileResult
from apps.monitoring.reconcile.parts import PARTS, Finding, Part
from apps.redis_kit import client

#: The schedule begins no further part after so long: the next run goes on with those that waited longest.
RUN_SECONDS = 30.0
#: What a part that could not finish reports.
FAILED = "check failed"

log = logging.getLogger(__name__)


@dataclass
class PartReport:
    """The result of one part: what was found, which of it was repaired and which is left."""

    part: str
    things: int | None = None
    fixed: list[Finding] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        return not self.left


@dataclass
class Report:
    """The results of all parts of one run."""

    parts: list[PartReport] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return all(part.clean for part in self.parts)

    @property
    def seconds(self) -> float:
        return round(sum(part.seconds for part in self.parts), 3)

    def as_dict(self) -> dict[str, object]:
        """The report as JSON takes it: clean, seconds, parts by name, and what was fixed and is left."""
        parts = {
            one.part: {
                "clean": one.clean,
                "things": one.things,
                "fixed": len(one.fixed),
                "left": len(one.left),
                "seconds": one.seconds,
            }
            for one in self.parts
        }
        fixed, left = _list_findings(self, "fixed"), _list_findings(self, "left")
        return {"clean": self.clean, "seconds": self.seconds, "parts": parts, "fixed": fixed, "left": left}


def _list_findings(report: Report, name: str) -> list[dict[str, str]]:
    return [{"part": part.part} | asdict(finding) for part in report.parts for finding in getattr(part, name)]


def run(parts: Sequence[Part], *, fix: bool = False) -> Iterator[PartReport]:
    """Run these parts and yield the saved result of each; `fix` repairs, then looks again.

    Raises client.UNAVAILABLE without Redis: then nothing more can be compared.
    """
    for part in parts:
        report = run_part(part, fix=fix)
        save(report)
        yield report


def run_part(part: Part, *, fix: bool = False) -> PartReport:
    """Run one part; a part that fails leaves a finding that says so."""
    started = time.monotonic()
    report = PartReport(part.name, part.count() if part.count else None)
    repaired = _collect(part, fix=True) if fix else []
    report.left = _collect(part, fix=False) if repaired or not fix else []
    # A violation may stay under another number: what is left is told by owner and aspect.
    left = {(finding.owner, finding.aspect) for finding in report.left}
    report.fixed = [finding for finding in repaired if (finding.owner, finding.aspect) not in left]
    report.seconds = round(time.monotonic() - started, 3)
    return report


def _collect(part: Part, *, fix: bool) -> list[Finding]:
    found: list[Finding] = []
    try:
        found.extend(part.check(fix))
    except (*client.UNAVAILABLE, DatabaseError):
        raise
    except Exception as error:
        # A key of another type, or a value that no code of ours wrote: the other parts go on.
        log.exception("%s could not finish", part.name)
        found.append(Finding(part.name, FAILED, f"{type(error).__name__}: {error}"[:500]))
    return found


def save(report: PartReport) -> None:
    """Keep the result of a part in SQL, for /metrics and the schedule."""
    now = timezone.now()
    values = {
        "ran_at": now,
        "fixed": len(report.fixed),
        "left": len(report.left),
        "seconds": report.seconds,
    } | ({"clean_at": now} if report.clean else {})
    ReconcileResult.objects.update_or_create(part=report.part, defaults=values)


def list_due() -> list[Part]:
    """The parts whose period is over since their last run, those that waited longest first."""
    ran_at = dict(ReconcileResult.objects.values_list("part", "ran_at"))
    now = timezone.now()
    waited = {part.name: now - ran_at[part.name] for part in PARTS.entries() if part.name in ran_at}
    due = [
        part
        for part in PARTS.entries()
        if part.period is not None and waited.get(part.name, part.period) >= part.period
    ]
    return sorted(due, key=lambda part: waited.get(part.name, timedelta.max), reverse=True)


def run_due() -> int:
    """Run due parts with repairs until RUN_SECONDS are over; returns how many differences were found."""
    started, found = time.monotonic(), 0
    for part in list_due():
        (report,) = run([part], fix=True)
        for finding in report.fixed:
            log.warning("%s: repaired %s", part.name, finding)
        for finding in report.left:
            log.error("%s: %s is left", part.name, finding)
        found += len(report.fixed) + len(report.left)
        if time.monotonic() - started > RUN_SECONDS:
            break
    return found
