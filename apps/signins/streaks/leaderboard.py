"""The leaderboard of current streaks, one sorted set a day.

A check-in adds the person's streak to the boards of its day and of the next one. A person who misses a day
is therefore absent from the following board, and no clean-up is needed. On one board a person's streak only
grows, which makes adding it twice or in any order safe.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import CharField
from django.db.models.functions import Cast

from apps.accounts.models import User
from apps.redis_kit import client, copies, transport
from apps.redis_kit.findings import Finding
from apps.redis_kit.transport import Command
from apps.signins import clock, keys
from apps.signins.models import Standing
from apps.signins.streaks.days import ONE_DAY

#: Rows of the list.
MAX_ROWS = 50
BOARD_TTL = timedelta(days=3)
#: Shorter than BOARD_TTL: the marker must expire before the board that it declares complete.
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
    """The top of a board; `mine` is (rank, streak) of the viewer, if their streak continues."""

    top: Scores
    mine: tuple[int, int] | None


@dataclass(frozen=True)
class Leaderboard:
    """The longest streaks, and (rank, streak) of the viewer, if their streak continues."""

    people: list[RankedPerson]
    mine: tuple[int, int] | None


def load(viewer_id: int | None) -> Leaderboard:
    """Today's leaderboard: one or two round trips and a query for the people.

    While the board in Redis is incomplete or unavailable, SQL alone answers.
    """
    today = clock.today()
    scores = _read_from_redis(today, viewer_id) or _read_from_sql(today, viewer_id)
    users = User.objects.listed().in_bulk([user_id for user_id, _ in scores.top])
    ranks = _ranks_by_streak([row for row in scores.top if row[0] in users])
    people = [
        RankedPerson(ranks[streak], users[user_id], streak)
        for user_id, streak in scores.top
        if user_id in users
    ]
    return Leaderboard(people, scores.mine)


def add_streaks(all_totals: Iterable[Standing]) -> None:
    """Add streaks to the boards of their last day and the day after, in one round trip."""
    transport.execute_many(client.get(), add_commands(all_totals))


def add_commands(all_totals: Iterable[Standing]) -> list[Command]:
    """The commands that add streaks to the boards of their last day and the day after."""
    boards: dict[date, list[int]] = defaultdict(list)
    for totals in all_totals:
        if totals.last_day:
            for day in (totals.last_day, totals.last_day + ONE_DAY):
                boards[day] += [totals.streak, totals.pk]
    adds: list[Command] = [("ZADD", board_key(day), "GT", *pairs) for day, pairs in boards.items()]
    return adds + [("EXPIRE", board_key(day), int(BOARD_TTL.total_seconds())) for day in boards]


def rebuild(report: Callable[[int], object] = lambda done: None) -> int:
    """Rebuild today's board from SQL; returns its number of people.

    Each batch calls `report` with the count so far.
    """
    today, last, done = clock.today(), 0, 0
    live = Standing.objects.with_live_streak(today).order_by("pk")
    while rows := list(live.filter(pk__gt=last)[:BATCH_PEOPLE]):
        add_streaks(rows)
        last, done = rows[-1].pk, done + len(rows)
        report(done)
    client.get().set(complete_key(today), done, ex=COMPLETE_TTL)
    return done


def rebuild_if_missing() -> bool:
    """Rebuild today's board unless it is marked complete, as after midnight or a loss.

    Returns whether it did.
    """
    if client.get().exists(complete_key(clock.today())):
        return False
    rebuild()
    return True


def board_key(day: date) -> str:
    """The Redis key of a day's board."""
    return keys.LEADERBOARD(day=f"{day:%Y%m%d}")


def complete_key(day: date) -> str:
    """The Redis key that marks a day's board as complete."""
    return keys.LEADERBOARD_COMPLETE(day=f"{day:%Y%m%d}")


def _read_from_redis(day: date, viewer_id: int | None) -> TopScores | None:
    """The scores in Redis; None if Redis is unavailable or the board incomplete."""
    try:
        with client.get().pipeline(transaction=False) as pipe:
            pipe.exists(complete_key(day))
            pipe.zrevrange(board_key(day), 0, MAX_ROWS - 1, withscores=True)
            pipe.zscore(board_key(day), str(viewer_id))
            complete, top, score = pipe.execute()
        if not complete:
            return None
        mine = (_rank_of_score(day, score), int(score)) if score else None
    except client.UNAVAILABLE:
        return None
    return TopScores([(int(user_id), int(streak)) for user_id, streak in top], mine)


def _rank_of_score(day: date, score: float) -> int:
    return 1 + client.get().zcount(board_key(day), f"({score}", "+inf")


def _read_from_sql(day: date, viewer_id: int | None) -> TopScores:
    live = Standing.objects.with_live_streak(day)
    # Redis orders equal scores by their members, which are texts.
    as_in_redis = ("-streak", Cast("pk", CharField()).desc())
    top = list(live.order_by(*as_in_redis).values_list("pk", "streak")[:MAX_ROWS])
    mine = live.filter(pk=viewer_id).values_list("streak", flat=True).first()
    return TopScores(top, (1 + live.filter(streak__gt=mine).count(), mine) if mine else None)


def _ranks_by_streak(top: Sequence[tuple[int, int]]) -> dict[int, int]:
    """{streak: rank}; equal streaks share a rank and the next one skips: 1, 2, 2, 4."""
    ranks: dict[int, int] = {}
    for rank, (_, streak) in enumerate(top, start=1):
        ranks.setdefault(streak, rank)
    return ranks


def _read_boards(board_days: Collection[date]) -> dict[date, dict[int, int]]:
    """{day: {user id: streak}} of the boards that are marked complete."""
    complete = [day for day in board_days if client.get().exists(complete_key(day))]
    return {
        day: {int(user_id): int(streak) for user_id, streak in client.get().zscan_iter(board_key(day))}
        for day in complete
    }


def _query(board_days: Collection[date]) -> dict[date, dict[int, int]]:
    return {
        day: dict(Standing.objects.with_live_streak(day).values_list("pk", "streak")) for day in board_days
    }


def _replace(board_days: Collection[date]) -> None:
    for day in board_days:
        client.get().delete(complete_key(day), board_key(day))
    rebuild()


def _describe(_day: date, actual: dict[int, int], expected: dict[int, int]) -> Iterator[Finding]:
    for user_id in {user_id for user_id, _streak in actual.items() ^ expected.items()}:
        streaks = str(actual.get(user_id)), str(expected.get(user_id))
        yield Finding(f"person {user_id}", "leaderboard", *streaks)


#: The boards by day, which need no lease: a check-in adds its streak, and a streak only grows.
BOARDS = copies.Copy(
    keys.LEADERBOARD, read_copies=_read_boards, query=_query, forget=_replace, describe=_describe
)


def check_today(fix: bool) -> list[Finding]:
    """What differs from SQL on today's board, if it is complete; `fix` builds it again."""
    return BOARDS.check([clock.today()], fix=fix)
