"""Compares the copies of check-ins: SQL's totals with SQL's rows, and Redis with SQL.

Each difference is checked a second time before it is reported, because people check in meanwhile.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import chain, islice

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.redis_kit import client
from apps.redis_kit.findings import Finding
from apps.signins import clock, keys
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, leaderboard
from apps.signins.streaks.days import CheckInDays
from apps.web import batches

BATCH_PEOPLE = 500


@dataclass(frozen=True)
class Drift:
    """A person's "totals", "month" or "leaderboard" entry: its actual value and the one that SQL's rows
    give.
    """

    user_id: int
    aspect: str
    actual: str
    expected: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Every difference from SQL's rows.

    With `fix` they are repaired. Raises client.UNAVAILABLE without Redis.
    """
    return [difference for _last, found in compare(fix) for difference in found]


def compare(fix: bool, after: int = 0) -> Iterator[tuple[int, Iterable[Drift]]]:
    """Yield the last id of each batch of people past the id `after`, and its differences; then Redis' own."""
    for user_ids in batches.iter_pk_chunks(User.objects.all(), BATCH_PEOPLE, after=after):
        yield user_ids[-1], _check_totals(user_ids, fix=fix)
    yield after, chain(_check_months(fix=fix), _check_leaderboard(fix=fix))


def _check_totals(user_ids: list[int], *, fix: bool) -> Iterator[Drift]:
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


def _recheck_totals(user_id: int, *, fix: bool) -> Iterator[Drift]:
    """Compare one person again while their row is locked, so that they can't check in."""
    with transaction.atomic():
        actual = Standing.objects.select_for_update().filter(pk=user_id).first()
        expected = _totals_from_rows([user_id])[user_id]
        if _has_same_totals(actual, expected):
            return
        if fix:
            expected.save()
            transaction.on_commit(lambda: leaderboard.add_streaks([expected]))
    yield Drift(user_id, "totals", _describe_totals(actual), _describe_totals(expected))


def _describe_totals(totals: Standing | None) -> str:
    if totals is None:
        return "nothing"
    days = f"streak {totals.streak}, best {totals.best}, {totals.total} days, last {totals.last_day}"
    return f"{totals.points} points, {days}"


def _check_months(*, fix: bool) -> Iterator[Drift]:
    """Compare the complete months in Redis with SQL; a month that Redis lacks is no difference."""
    pattern = keys.CHECK_IN_MONTH.scan_pattern
    person_months = map(_parse_month_key, client.get().scan_iter(match=pattern, count=BATCH_PEOPLE))
    while batch := list(islice(person_months, BATCH_PEOPLE)):
        for person_month, difference in _differing_months(list(_differing_months(batch))).items():
            if fix:
                client.get().delete(bitmaps.month_key(*person_month))
                bitmaps.read_masks(person_month[0], [person_month[1]])
            yield difference


def _parse_month_key(key: str) -> bitmaps.PersonMonth:
    _, tag, _, month = key.rsplit(":", 3)
    return int(tag.strip("{}")), date(int(month[:4]), int(month[4:]), 1)


def _differing_months(person_months: list[bitmaps.PersonMonth]) -> dict[bitmaps.PersonMonth, Drift]:
    cached = bitmaps.read_cached(person_months)
    people, months = {user_id for user_id, _ in person_months}, {month for _, month in person_months}
    rows = SignInMonth.objects.filter(user__in=people, month__in=months)
    masks = {(user_id, month): mask for user_id, month, mask in rows.values_list("user_id", "month", "mask")}
    return {
        (user_id, month): Drift(
            user_id, "month", _format_mask(month, mask), _format_mask(month, masks.get((user_id, month), 0))
        )
        for (user_id, month), mask in cached.items()
        if masks.get((user_id, month), 0) != mask
    }


def _format_mask(month: date, mask: int) -> str:
    return f"{month:%Y-%m} {mask:031b}"


def _check_leaderboard(*, fix: bool) -> Iterator[Drift]:
    """Compare today's leaderboard with SQL, if it is marked complete."""
    first = _wrong_scores()
    again = _wrong_scores() if first else {}
    wrong = [difference for user_id, difference in again.items() if user_id in first]
    if wrong and fix:
        client.get().delete(leaderboard.complete_key(clock.today()), leaderboard.board_key(clock.today()))
        leaderboard.rebuild()
    yield from wrong


def _wrong_scores() -> dict[int, Drift]:
    today, redis = clock.today(), client.get()
    if not redis.exists(leaderboard.complete_key(today)):
        return {}
    scores = redis.zscan_iter(leaderboard.board_key(today))
    actual = {int(user_id): int(streak) for user_id, streak in scores}
    expected = dict(Standing.objects.with_live_streak(today).values_list("pk", "streak"))
    wrong = {user_id for user_id, _ in actual.items() ^ expected.items()}
    return {
        user_id: Drift(user_id, "leaderboard", str(actual.get(user_id)), str(expected.get(user_id)))
        for user_id in wrong
    }


def find_differences(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch past the id `after`, with its differences."""
    for last, differences in compare(fix, after):
        yield last, map(_finding, differences)


def _finding(found: Drift) -> Finding:
    return Finding(f"person {found.user_id}", found.aspect, found.actual, found.expected)
