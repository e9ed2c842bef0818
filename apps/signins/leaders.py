"""Who has signed in for the most days in a row.

Each day has a board of its own. A sign-in enters the boards of its day and of the next one, with the streak
of that moment; so who misses a day isn't on the following board, and nothing needs to be swept. On one board
a person's streak only grows, which makes entering twice or in any order safe.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, cast

from apps.accounts.models import User
from apps.redis_kit import client
from apps.signins import clock, keys
from apps.signins.days import DAY
from apps.signins.models import Standing

#: Rows of the list.
SHOWN = 50
BOARD_KEPT = timedelta(days=3)
#: Shorter than the board it vouches for.
WHOLE_KEPT = timedelta(days=2)
BATCH = 1000

#: (user id, streak), the longest first.
Scores = list[tuple[int, int]]


@dataclass(frozen=True)
class Place:
    """A person's rank; equal streaks share one."""

    rank: int
    user: User
    streak: int


@dataclass(frozen=True)
class Found:
    """The top of a board; `mine` is (rank, streak) of the person who looks, if their streak is alive."""

    top: Scores
    mine: tuple[int, int] | None


@dataclass(frozen=True)
class Board:
    """The longest streaks, and (rank, streak) of the person who looks."""

    places: list[Place]
    mine: tuple[int, int] | None


def board(viewer_id: int | None) -> Board:
    """Today's: one or two round trips and a query for the people, or SQL alone while Redis doesn't know."""
    today = clock.today()
    found = _held(today, viewer_id) or _stored(today, viewer_id)
    people = User.objects.filter(is_active=True).in_bulk([user_id for user_id, _ in found.top])
    ranks = _ranks(found.top)
    places = [
        Place(ranks[streak], people[user_id], streak) for user_id, streak in found.top if user_id in people
    ]
    return Board(places, found.mine)


def enter(standings: Iterable[Standing]) -> None:
    """Put streaks on the boards of their last day and the day after, in one round trip."""
    boards: dict[date, dict[str, int]] = defaultdict(dict)
    for one in standings:
        if one.last_day:
            boards[one.last_day][str(one.pk)] = boards[one.last_day + DAY][str(one.pk)] = one.streak
    with client.get().pipeline(transaction=False) as pipe:
        for day, streaks in boards.items():
            pipe.zadd(board_key(day), cast(dict[Any, Any], streaks), gt=True)
            pipe.expire(board_key(day), BOARD_KEPT)
        pipe.execute()


def rebuild(report: Callable[[int], object] = lambda done: None) -> int:
    """Today's board from SQL, in batches; how many people are on it. `report` hears of each batch."""
    today, last, done = clock.today(), 0, 0
    alive = Standing.objects.alive(today).order_by("pk")
    while rows := list(alive.filter(pk__gt=last)[:BATCH]):
        enter(rows)
        last, done = rows[-1].pk, done + len(rows)
        report(done)
    client.get().set(whole_key(today), done, ex=WHOLE_KEPT)
    return done


def heal() -> bool:
    """Rebuild today's board when nothing vouches for it: after midnight, or after a loss; whether it did."""
    if client.get().exists(whole_key(clock.today())):
        return False
    rebuild()
    return True


def board_key(day: date) -> str:
    return keys.BOARD(day=f"{day:%Y%m%d}")


def whole_key(day: date) -> str:
    return keys.WHOLE(day=f"{day:%Y%m%d}")


def _held(day: date, viewer_id: int | None) -> Found | None:
    """What Redis knows, if it is there and the board is whole."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            pipe.exists(whole_key(day))
            pipe.zrevrange(board_key(day), 0, SHOWN - 1, withscores=True)
            pipe.zscore(board_key(day), str(viewer_id))
            whole, top, score = pipe.execute()
        if not whole:
            return None
        mine = (_rank(day, score), int(score)) if score else None
    except client.UNAVAILABLE:
        return None
    return Found([(int(user_id), int(streak)) for user_id, streak in top], mine)


def _rank(day: date, score: float) -> int:
    return 1 + client.get().zcount(board_key(day), f"({score}", "+inf")


def _stored(day: date, viewer_id: int | None) -> Found:
    alive = Standing.objects.alive(day)
    top = list(alive.order_by("-streak", "-pk").values_list("pk", "streak")[:SHOWN])
    mine = alive.filter(pk=viewer_id).values_list("streak", flat=True).first()
    return Found(top, (1 + alive.filter(streak__gt=mine).count(), mine) if mine else None)


def _ranks(top: Sequence[tuple[int, int]]) -> dict[int, int]:
    """{streak: rank}: 1, 2, 2, 4."""
    ranks: dict[int, int] = {}
    for place, (_, streak) in enumerate(top, start=1):
        ranks.setdefault(streak, place)
    return ranks
