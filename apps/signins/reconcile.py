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
from apps.signins import bitmaps, clock, keys, leaders
from apps.signins.days import Days
from apps.signins.models import PointEntry, SignInMonth, Standing

BATCH = 500


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
    return [*_standings(fix=fix), *_months(fix=fix), *_board(fix=fix)]


def _standings(*, fix: bool) -> Iterator[Drift]:
    """Totals and points of everybody who has signed in or moved points."""
    last = 0
    people = User.objects.order_by("pk").values_list("pk", flat=True)
    while batch := list(people.filter(pk__gt=last)[:BATCH]):
        held = Standing.objects.in_bulk(batch)
        for user_id, true in _added_up(batch).items():
            if not _same(held.get(user_id), true):
                yield from _settle(user_id, fix=fix)
        last = batch[-1]


def _added_up(people: Iterable[int]) -> dict[int, Standing]:
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
        standing.add_up(Days.of(masks[user_id], until=clock.today()))
    return added_up


def _same(held: Standing | None, true: Standing) -> bool:
    held = held or Standing(user_id=true.pk)
    return held.same_days(true) and held.points == true.points


def _settle(user_id: int, *, fix: bool) -> Iterator[Drift]:
    """Once more, while this person can't sign in."""
    with transaction.atomic():
        held = Standing.objects.select_for_update().filter(pk=user_id).first()
        true = _added_up([user_id])[user_id]
        if _same(held, true):
            return
        if fix:
            true.save()
            transaction.on_commit(lambda: leaders.enter([true]))
    yield Drift(user_id, "standing", _words(held), _words(true))


def _words(standing: Standing | None) -> str:
    if standing is None:
        return "nothing"
    days = f"streak {standing.streak}, best {standing.best}, {standing.total} days, last {standing.last_day}"
    return f"{standing.points} points, {days}"


def _months(*, fix: bool) -> Iterator[Drift]:
    """Whole months in Redis, against SQL; what Redis lacks is read through and differs from nothing."""
    places = map(_place, client.get().scan_iter(match=keys.MONTH.scan_pattern, count=BATCH))
    while batch := list(islice(places, BATCH)):
        for place, found in _differing(list(_differing(batch))).items():
            if fix:
                client.get().delete(bitmaps.key_of(*place))
                bitmaps.read(place[0], [place[1]])
            yield found


def _place(key: str) -> bitmaps.Place:
    _, tag, _, month = key.rsplit(":", 3)
    return int(tag.strip("{}")), date(int(month[:4]), int(month[4:]), 1)


def _differing(places: list[bitmaps.Place]) -> dict[bitmaps.Place, Drift]:
    held = bitmaps.held(places)
    people, months = {user_id for user_id, _ in places}, {month for _, month in places}
    rows = SignInMonth.objects.filter(user__in=people, month__in=months)
    masks = {(user_id, month): mask for user_id, month, mask in rows.values_list("user_id", "month", "mask")}
    return {
        place: Drift(place[0], "month", _bits(place, mask), _bits(place, masks.get(place, 0)))
        for place, mask in held.items()
        if masks.get(place, 0) != mask
    }


def _bits(place: bitmaps.Place, mask: int) -> str:
    return f"{place[1]:%Y-%m} {mask:031b}"


def _board(*, fix: bool) -> Iterator[Drift]:
    """Today's board, if it is said to be whole."""
    found = _misplaced()
    again = _misplaced() if found else {}
    wrong = [one for user_id, one in again.items() if user_id in found]
    if wrong and fix:
        client.get().delete(leaders.whole_key(clock.today()), leaders.board_key(clock.today()))
        leaders.rebuild()
    yield from wrong


def _misplaced() -> dict[int, Drift]:
    today, redis = clock.today(), client.get()
    if not redis.exists(leaders.whole_key(today)):
        return {}
    held = {int(user_id): int(streak) for user_id, streak in redis.zscan_iter(leaders.board_key(today))}
    true = dict(Standing.objects.alive(today).values_list("pk", "streak"))
    wrong = {user_id for user_id, _ in held.items() ^ true.items()}
    return {
        user_id: Drift(user_id, "board", str(held.get(user_id)), str(true.get(user_id))) for user_id in wrong
    }
