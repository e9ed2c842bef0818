"""Compares what sign-ins leave in several places: SQL's totals with its rows, and Redis with SQL.

Whatever differs is looked at a second time before it is reported: people go on signing in meanwhile.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.redis_kit import client
from apps.signins import clock, keys
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, leaderboard
from apps.signins.streaks.days import CheckInDays

BATCH_PEOPLE = 500


@dataclass(frozen=True)
class Drift:
    """Of one person, "standing", "month" or "board": what it says, and what the rows say."""

    user_id: int
    what: str
    held: str
    rows: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Everything that disagrees with the rows; with `fix` it is right afterwards.

    Raises client.UNAVAILABLE without Redis.
    """
    return [*_check_totals(fix=fix), *_check_months(fix=fix), *_check_leaderboard(fix=fix)]


def _check_totals(*, fix: bool) -> Iterator[Drift]:
    """Totals and points of everybody who has signed in or moved points."""
    last = 0
    people = User.objects.order_by("pk").values_list("pk", flat=True)
    while batch := list(people.filter(pk__gt=last)[:BATCH_PEOPLE]):
        held = Standing.objects.in_bulk(batch)
        for user_id, true in _totals_from_rows(batch).items():
            if not _has_same_totals(held.get(user_id), true):
                yield from _recheck_totals(user_id, fix=fix)
        last = batch[-1]


def _totals_from_rows(people: Iterable[int]) -> dict[int, Standing]:
    """What rows amount to, by person; for those without any nothing, which is right."""
    masks: dict[int, dict[date, int]] = defaultdict(dict)
    for user_id, month, mask in SignInMonth.objects.filter(user__in=people).values_list(
        "user_id", "month", "mask"
    ):
        masks[user_id][month] = mask
    moved = PointEntry.objects.filter(user__in=people).order_by().values_list("user_id")
    points = dict(moved.annotate(Sum("amount")))
    added_up = {user_id: Standing(user_id=user_id, points=points.get(user_id, 0)) for user_id in people}
    for user_id, standing in added_up.items():
        standing.set_totals(CheckInDays.from_masks(masks[user_id], until=clock.today()))
    return added_up


def _has_same_totals(held: Standing | None, true: Standing) -> bool:
    held = held or Standing(user_id=true.pk)
    return held.has_same_totals(true) and held.points == true.points


def _recheck_totals(user_id: int, *, fix: bool) -> Iterator[Drift]:
    """Once more, while this person can't sign in."""
    with transaction.atomic():
        held = Standing.objects.select_for_update().filter(pk=user_id).first()
        true = _totals_from_rows([user_id])[user_id]
        if _has_same_totals(held, true):
            return
        if fix:
            true.save()
            transaction.on_commit(lambda: leaderboard.add_streaks([true]))
    yield Drift(user_id, "standing", _describe_totals(held), _describe_totals(true))


def _describe_totals(standing: Standing | None) -> str:
    if standing is None:
        return "nothing"
    days = f"streak {standing.streak}, best {standing.best}, {standing.total} days, last {standing.last_day}"
    return f"{standing.points} points, {days}"


def _check_months(*, fix: bool) -> Iterator[Drift]:
    """Whole months in Redis, against SQL; what Redis lacks is read through and differs from nothing."""
    places = map(
        _parse_month_key, client.get().scan_iter(match=keys.CHECK_IN_MONTH.scan_pattern, count=BATCH_PEOPLE)
    )
    while batch := list(islice(places, BATCH_PEOPLE)):
        for place, found in _differing_months(list(_differing_months(batch))).items():
            if fix:
                client.get().delete(bitmaps.month_key(*place))
                bitmaps.read_masks(place[0], [place[1]])
            yield found


def _parse_month_key(key: str) -> bitmaps.PersonMonth:
    _, tag, _, month = key.rsplit(":", 3)
    return int(tag.strip("{}")), date(int(month[:4]), int(month[4:]), 1)


def _differing_months(places: list[bitmaps.PersonMonth]) -> dict[bitmaps.PersonMonth, Drift]:
    held = bitmaps.read_cached(places)
    people, months = {user_id for user_id, _ in places}, {month for _, month in places}
    rows = SignInMonth.objects.filter(user__in=people, month__in=months)
    masks = {(user_id, month): mask for user_id, month, mask in rows.values_list("user_id", "month", "mask")}
    return {
        place: Drift(place[0], "month", _format_mask(place, mask), _format_mask(place, masks.get(place, 0)))
        for place, mask in held.items()
        if masks.get(place, 0) != mask
    }


def _format_mask(place: bitmaps.PersonMonth, mask: int) -> str:
    return f"{place[1]:%Y-%m} {mask:031b}"


def _check_leaderboard(*, fix: bool) -> Iterator[Drift]:
    """Today's board, if it is said to be whole."""
    found = _wrong_scores()
    again = _wrong_scores() if found else {}
    wrong = [one for user_id, one in again.items() if user_id in found]
    if wrong and fix:
        client.get().delete(leaderboard.complete_key(clock.today()), leaderboard.board_key(clock.today()))
        leaderboard.rebuild()
    yield from wrong


def _wrong_scores() -> dict[int, Drift]:
    today, redis = clock.today(), client.get()
    if not redis.exists(leaderboard.complete_key(today)):
        return {}
    held = {int(user_id): int(streak) for user_id, streak in redis.zscan_iter(leaderboard.board_key(today))}
    true = dict(Standing.objects.alive(today).values_list("pk", "streak"))
    wrong = {user_id for user_id, _ in held.items() ^ true.items()}
    return {
        user_id: Drift(user_id, "board", str(held.get(user_id)), str(true.get(user_id))) for user_id in wrong
    }
