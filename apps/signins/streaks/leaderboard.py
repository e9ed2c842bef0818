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
from apps.signins.models import Standing
from apps.signins.streaks.days import ONE_DAY

#: Rows of the list.
MAX_ROWS = 50
BOARD_TTL = timedelta(days=3)
#: Shorter than the board it vouches for.
COMPLETE_TTL = timedelta(days=2)
BATCH_PEOPLE = 1000

#: (user id, streak), the longest first.
Scores = list[tuple[int, int]]


@dataclass(frozen=True)
class RankedPerson:
    """A person's rank; equal streaks share one."""

    rank: int
    user: User
    streak: int


@dataclass(frozen=True)
class TopScores:
    """The top of a board; `mine` is (rank, streak) of the person who looks, if their streak is alive."""

    top: Scores
    mine: tuple[int, int] | None


@dataclass(frozen=True)
class Leaderboard:
    """The longest streaks, and (rank, streak) of the person who looks."""

    places: list[RankedPerson]
    mine: tuple[int, int] | None


def load(viewer_id: int | None) -> Leaderboard:
    """Today's: one or two round trips and a query for the people, or SQL alone while Redis doesn't know."""
    today = clock.today()
    found = _read_from_redis(today, viewer_id) or _read_from_sql(today, viewer_id)
    people = User.objects.filter(is_active=True).in_bulk([user_id for user_id, _ in found.top])
    ranks = _ranks_by_streak(found.top)
    places = [
        RankedPerson(ranks[streak], people[user_id], streak)
        for user_id, streak in found.top
        if user_id in people
    ]
    return Leaderboard(places, found.mine)


def add_streaks(standings: Iterable[Standing]) -> None:
    """Put streaks on the boards of their last day and the day after, in one round trip."""
    boards: dict[date, dict[str, int]] = defaultdict(dict)
    for one in standings:
        if one.last_day:
            boards[one.last_day][str(one.pk)] = boards[one.last_day + ONE_DAY][str(one.pk)] = one.streak
    with client.get().pipeline(transaction=False) as pipe:
        for day, streaks in boards.items():
            pipe.zadd(board_key(day), cast(dict[Any, Any], streaks), gt=True)
            pipe.expire(board_key(day), BOARD_TTL)
        pipe.execute()


def rebuild(report: Callable[[int], object] = lambda done: None) -> int:
    """Today's board from SQL, in batches; how many people are on it. `report` hears of each batch."""
    today, last, done = clock.today(), 0, 0
    alive = Standing.objects.alive(today).order_by("pk")
    while rows := list(alive.filter(pk__gt=last)[:BATCH_PEOPLE]):
        add_streaks(rows)
        last, done = rows[-1].pk, done + len(rows)
        report(done)
    client.get().set(complete_key(today), done, ex=COMPLETE_TTL)
    return done


def rebuild_if_missing() -> bool:
    """Rebuild today's board when nothing vouches for it: after midnight, or after a loss; whether it did."""
    if client.get().exists(complete_key(clock.today())):
        return False
    rebuild()
    return True


def board_key(day: date) -> str:
    return keys.LEADERBOARD(day=f"{day:%Y%m%d}")


def complete_key(day: date) -> str:
    return keys.LEADERBOARD_COMPLETE(day=f"{day:%Y%m%d}")


def _read_from_redis(day: date, viewer_id: int | None) -> TopScores | None:
    """What Redis knows, if it is there and the board is whole."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            pipe.exists(complete_key(day))
            pipe.zrevrange(board_key(day), 0, MAX_ROWS - 1, withscores=True)
            pipe.zscore(board_key(day), str(viewer_id))
            whole, top, score = pipe.execute()
        if not whole:
            return None
        mine = (_rank_of_score(day, score), int(score)) if score else None
    except client.UNAVAILABLE:
        return None
    return TopScores([(int(user_id), int(streak)) for user_id, streak in top], mine)


def _rank_of_score(day: date, score: float) -> int:
    return 1 + client.get().zcount(board_key(day), f"({score}", "+inf")


def _read_from_sql(day: date, viewer_id: int | None) -> TopScores:
    alive = Standing.objects.alive(day)
    top = list(alive.order_by("-streak", "-pk").values_list("pk", "streak")[:MAX_ROWS])
    mine = alive.filter(pk=viewer_id).values_list("streak", flat=True).first()
    return TopScores(top, (1 + alive.filter(streak__gt=mine).count(), mine) if mine else None)


def _ranks_by_streak(top: Sequence[tuple[int, int]]) -> dict[int, int]:
    """{streak: rank}: 1, 2, 2, 4."""
    ranks: dict[int, int] = {}
    for place, (_, streak) in enumerate(top, start=1):
        ranks.setdefault(streak, place)
    return ranks
