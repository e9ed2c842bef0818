"""Runs parts of the reconciliation, by hand or on the schedule, and keeps what came of each."""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from apps.monitoring.models import ReconcileResult
from apps.monitoring.reconcile.parts import PARTS, Part
from apps.redis_kit import client
from apps.redis_kit.findings import Finding

#: The schedule begins no further part after so long: the next run goes on with those that waited longest.
RUN_SECONDS = 30.0
#: Of that, the longest that one part takes: it goes on after its last row in the next run.
PART_SECONDS = 10.0
#: What a part that could not finish reports.
FAILED = "check failed"

log = logging.getLogger(__name__)


@dataclass
class PartReport:
    """The result of one part: what was found, which of it was repaired and which is left.

    `stopped_after` is the id of the last row that was compared, 0 when all were.
    """

    part: str
    things: int | None = None
    fixed: list[Finding] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    seconds: float = 0.0
    stopped_after: int = 0

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


def run_part(part: Part, *, fix: bool = False, after: int = 0, seconds: float = float("inf")) -> PartReport:
    """Run one part, for rows past the id `after`; a part that fails leaves a finding that says so.

    It begins no batch of rows when the `seconds` are over: `stopped_after` tells where the next run goes on.
    """
    started = time.monotonic()
    report = PartReport(part.name, part.count() if part.count else None)
    walk = _Walk(part, after, ends_at=started + seconds)
    repaired = walk.collect(fix=True) if fix else []
    report.left = walk.collect(fix=False) if repaired or not fix else []
    report.stopped_after = walk.stopped_after
    # A violation may stay under another number: what is left is told by owner and aspect.
    left = {(finding.owner, finding.aspect) for finding in report.left}
    report.fixed = [finding for finding in repaired if (finding.owner, finding.aspect) not in left]
    report.seconds = round(time.monotonic() - started, 3)
    return report


class _Walk:
    """A part's rows past an id, in a time; a second look compares the same rows as the first."""

    def __init__(self, part: Part, after: int, *, ends_at: float) -> None:
        self._part, self._after, self._ends_at = part, after, ends_at
        self._until: int | None = None
        self.stopped_after = 0

    def collect(self, *, fix: bool) -> list[Finding]:
        """Every difference; with `fix` each is repaired."""
        found: list[Finding] = []
        try:
            self._compare(found, fix=fix)
        except (*client.UNAVAILABLE, DatabaseError):
            raise
        except Exception as error:
            # A key of another type, or a value that no code of ours wrote: the other parts go on.
            log.exception("%s could not finish", self._part.name)
            found.append(Finding(self._part.name, FAILED, f"{type(error).__name__}: {error}"[:500]))
            self.stopped_after = 0
        return found

    def _compare(self, found: list[Finding], *, fix: bool) -> None:
        for last, differences in self._part.batches(fix, self._after):
            found.extend(differences)
            if last == self._until:
                return
            if self._until is None and last > self._after and time.monotonic() > self._ends_at:
                self._until = self.stopped_after = last
                return


def save(report: PartReport, *, before: ReconcileResult | None = None) -> None:
    """Keep the result of a part in SQL, for /metrics and the schedule; `before` is the walk's so far."""
    now = timezone.now()
    left = len(report.left) + (before.left if before else 0)
    values: dict[str, Any] = {
        "ran_at": now,
        "fixed": len(report.fixed) + (before.fixed if before else 0),
        "left": left,
        "seconds": report.seconds + (before.seconds if before else 0),
        "stopped_after": report.stopped_after,
    }
    if not left and not report.stopped_after:
        values["clean_at"] = now
    ReconcileResult.objects.update_or_create(part=report.part, defaults=values)


def list_due() -> list[Part]:
    """The parts whose period is over since their last run, those that waited longest first.

    One that stopped among its rows is due at once.
    """
    results = ReconcileResult.objects.in_bulk()
    now = timezone.now()
    waited = {name: now - result.ran_at for name, result in results.items()}
    due = [
        part
        for part in PARTS.entries()
        if part.period is not None
        and (part.name not in results or results[part.name].stopped_after or waited[part.name] >= part.period)
    ]
    return sorted(due, key=lambda part: waited.get(part.name, timedelta.max), reverse=True)


def run_due() -> int:
    """Run due parts with repairs until RUN_SECONDS are over; returns how many differences were found."""
    started, found = time.monotonic(), 0
    for part in list_due():
        report = _run_next_rows(part)
        for finding in report.fixed:
            log.warning("%s: repaired %s", part.name, finding)
        for finding in report.left:
            log.error("%s: %s is left", part.name, finding)
        found += len(report.fixed) + len(report.left)
        if time.monotonic() - started > RUN_SECONDS:
            break
    return found


def _run_next_rows(part: Part) -> PartReport:
    """Go on with a part where its last run stopped, for at most PART_SECONDS, and save what came of it."""
    before = ReconcileResult.objects.filter(part=part.name, stopped_after__gt=0).first()
    report = run_part(part, fix=True, after=before.stopped_after if before else 0, seconds=PART_SECONDS)
    save(report, before=before)
    return report


def read_clean_ages() -> dict[str, float]:
    """Seconds since each part was last clean; a part that never was is left out."""
    results = ReconcileResult.objects.filter(clean_at__isnull=False).values_list("part", "clean_at")
    return {part: (timezone.now() - at).total_seconds() for part, at in results if at}


def read_left() -> dict[str, float]:
    """Differences that the last run of each part did not repair."""
    return dict(ReconcileResult.objects.values_list("part", "left"))


def read_fixed() -> dict[str, float]:
    """Differences that the last run of each part repaired."""
    return dict(ReconcileResult.objects.values_list("part", "fixed"))
