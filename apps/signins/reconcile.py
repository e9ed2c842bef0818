"""Compares totals of check-ins and points with their rows, and rebuilds months and leaderboard in Redis.

Each difference is checked a second time before it is reported, because people check in meanwhile.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.redis_kit import schema
from apps.redis_kit.findings import Finding
from apps.signins import clock
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, days, leaderboard
from apps.signins.streaks.days import CheckInDays
from apps.web import batches

BATCH_PEOPLE = 500

#: Months to rebuild; older ones are filled in from SQL when they are read.
RECENT_MONTHS = 12
BATCH_MONTHS = 1000


def compare_totals(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of people past the id `after`, with the differences of their totals."""
    for user_ids in batches.iter_pk_chunks(User.objects.all(), BATCH_PEOPLE, after=after):
        yield user_ids[-1], _check_totals(user_ids, fix=fix)


def _check_totals(user_ids: list[int], *, fix: bool) -> Iterator[Finding]:
    """Compare the totals and points of people with their months and point entries."""
    actual = Standing.objects.in_bulk(user_ids)
    for user_id, expected in _totals_from_rows(user_ids).items():
        if not _has_same_totals(actual.get(user_id), expected):
            yield from _recheck_totals(user_id, fix=fix)


def _totals_from_rows(user_ids: Iterable[int]) -> dict[int, Standing]:
    """Totals computed from rows, by person; people without rows have zeros."""
    masks: dict[int, dict[date, int]] = defaultdict(dict)
    months = SignInMonth.objects.filter(user__in=user_ids)
    for user_id, month, mask in months.values_list("user_id", "month", "mask"):
        masks[user_id][month] = mask
    entries = PointEntry.objects.filter(user__in=user_ids).order_by().values_list("user_id")
    points = dict(entries.annotate(Sum("amount")))
    computed = {user_id: Standing(user_id=user_id, points=points.get(user_id, 0)) for user_id in user_ids}
    for user_id, totals in computed.items():
        totals.set_totals(CheckInDays.from_masks(masks[user_id], until=clock.today()))
    return computed


def _has_same_totals(actual: Standing | None, expected: Standing) -> bool:
    actual = actual or Standing(user_id=expected.pk)
    return actual.has_same_totals(expected) and actual.points == expected.points


def _recheck_totals(user_id: int, *, fix: bool) -> Iterator[Finding]:
    """Compare one person again while their row is locked, so that they can't check in."""
    with transaction.atomic():
        actual = Standing.objects.select_for_update().filter(pk=user_id).first()
        expected = _totals_from_rows([user_id])[user_id]
        if _has_same_totals(actual, expected):
            return
        if fix:
            expected.save()
            transaction.on_commit(lambda: leaderboard.add_streaks([expected]))
    yield Finding(f"person {user_id}", "totals", _describe_totals(actual), _describe_totals(expected))


def _describe_totals(totals: Standing | None) -> str:
    if totals is None:
        return "nothing"
    days = f"streak {totals.streak}, best {totals.best}, {totals.total} days, last {totals.last_day}"
    return f"{totals.points} points, {days}"


def rebuild(report: schema.ReportProgress) -> int:
    """Write the recent months and today's leaderboard.

    Returns the number of entries. Safe while people check in.
    """
    today = clock.today()
    recent = SignInMonth.objects.filter(month__gte=days.add_months(today.replace(day=1), 1 - RECENT_MONTHS))
    total = recent.count() + Standing.objects.with_live_streak(today).count()
    last = done = 0
    while rows := list(recent.filter(pk__gt=last).order_by("pk")[:BATCH_MONTHS]):
        bitmaps.fill_masks({(row.user_id, row.month): row.mask for row in rows})
        last, done = rows[-1].pk, done + len(rows)
        report(done, max(done, total))
    return done + leaderboard.rebuild(lambda added: report(done + added, max(done + added, total)))
