from datetime import timedelta

import pytest
import redis
import time_machine
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.signins import check_ins, tasks
from apps.signins.models import Standing
from apps.signins.streaks import leaderboard
from apps.signins.streaks.days import ONE_DAY
from tests.factories import UserFactory
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)


def leaderboard_rows(viewer: User | None = None) -> list[tuple[int, str, int]]:
    """What the board says, and that Redis and SQL say the same."""
    board = leaderboard.load(viewer.pk if viewer else None)
    return [(person.rank, person.user.nickname, person.streak) for person in board.people]


def test_the_longest_streak_is_first_and_equal_ones_share_a_rank() -> None:
    for number, (name, streak) in enumerate([("Alice", 3), ("Bob", 8), ("Charlie", 3)], start=11):
        person = UserFactory.create(id=number, nickname=name)
        makers.checked_in_on(person, makers.days_in_a_row(TODAY, streak))
    from_sql = leaderboard_rows()
    assert leaderboard.rebuild_if_missing()
    assert leaderboard_rows() == from_sql == [(1, "Bob", 8), (2, "Charlie", 3), (2, "Alice", 3)]


def test_equal_streaks_are_cut_alike_in_redis_and_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids of different lengths: as numbers and as texts they stand in another order."""
    monkeypatch.setattr(leaderboard, "MAX_ROWS", 4)
    for number in (8, 9, 10, 11, 99, 100):
        person = UserFactory.create(id=number, nickname=str(number))
        makers.checked_in_on(person, makers.days_in_a_row(TODAY, 3))
    from_sql = leaderboard_rows()
    assert leaderboard.rebuild_if_missing()
    assert leaderboard_rows() == from_sql == [(1, name, 3) for name in ("99", "9", "8", "11")]


def test_a_sign_in_moves_one_up(alice: User, bob: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 5))
    makers.checked_in_on(bob, makers.days_in_a_row(TODAY, 5))
    leaderboard.rebuild_if_missing()
    check_ins.check_in_today(alice.pk)
    assert leaderboard_rows() == [(1, "Alice", 6), (2, "Bob", 5)]


def test_who_missed_yesterday_is_gone_tomorrow_with_no_sweep(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    for user in (alice, bob):
        check_ins.check_in_today(user.pk)
    clock.shift(ONE_DAY)
    leaderboard.rebuild_if_missing()
    check_ins.check_in_today(bob.pk)
    assert leaderboard_rows() == [(1, "Bob", 2), (2, "Alice", 1)], "Alice can still continue today"
    clock.shift(ONE_DAY)
    leaderboard.rebuild_if_missing()
    assert leaderboard_rows() == [(1, "Bob", 2)]
    clock.shift(ONE_DAY)
    leaderboard.rebuild_if_missing()
    assert leaderboard_rows() == []


def test_my_rank_also_beyond_the_list(alice: User, bob: User) -> None:
    for number, user in enumerate(UserFactory.bulk_create(leaderboard.MAX_ROWS + 3)):
        makers.checked_in_on(user, makers.days_in_a_row(TODAY, 2 + number))
    makers.checked_in_on(alice, [TODAY])
    expected = (leaderboard.MAX_ROWS + 4, 1)
    assert leaderboard.load(alice.pk).mine == expected
    leaderboard.rebuild_if_missing()
    assert leaderboard.load(alice.pk).mine == expected
    assert leaderboard.load(bob.pk).mine is None
    assert len(leaderboard.load(None).people) == leaderboard.MAX_ROWS


@pytest.mark.both_databases
def test_a_board_that_nobody_vouches_for_is_not_shown(alice: User, bob: User) -> None:
    """After a loss a sign-in makes a board of one: readers ask SQL until the whole one is back."""
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    check_ins.check_in_today(bob.pk)
    assert leaderboard_rows() == [(1, "Alice", 4), (2, "Bob", 1)]


def test_it_is_rebuilt_by_the_task_and_only_when_missing(alice: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    tasks.complete_board()
    assert guarded_redis.zscore(leaderboard.board_key(TODAY), str(alice.pk)) == 4
    assert not leaderboard.rebuild_if_missing()


def test_boards_expire(alice: User, guarded_redis: redis.Redis) -> None:
    check_ins.check_in_today(alice.pk)
    leaderboard.rebuild_if_missing()
    for key in (leaderboard.board_key(TODAY), leaderboard.board_key(TODAY + ONE_DAY)):
        assert 0 < guarded_redis.ttl(key) <= leaderboard.BOARD_TTL / timedelta(seconds=1)
    vouched = guarded_redis.ttl(leaderboard.complete_key(TODAY))
    assert (
        0
        < vouched
        <= leaderboard.COMPLETE_TTL / timedelta(seconds=1)
        < guarded_redis.ttl(leaderboard.board_key(TODAY))
    )


def test_a_late_rebuild_takes_nobody_back(alice: User) -> None:
    """It read SQL before the sign-in and writes after it."""
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY - ONE_DAY, 5))
    old = Standing.objects.get(user=alice)
    check_ins.check_in_today(alice.pk)
    leaderboard.add_streaks([old])
    leaderboard.rebuild_if_missing()
    assert leaderboard_rows() == [(1, "Alice", 6)]


def test_who_is_switched_off_is_not_shown(alice: User, bob: User) -> None:
    for user in (alice, bob):
        makers.checked_in_on(user, makers.days_in_a_row(TODAY, 4))
    leaderboard.rebuild_if_missing()
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert [name for _, name, _ in leaderboard_rows()] == ["Bob"]


@pytest.mark.both_databases
def test_without_redis_it_comes_from_sql(alice: User, redis_away: None) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    tasks.complete_board()
    assert leaderboard_rows(alice) == [(1, "Alice", 4)]


@pytest.mark.parametrize("many", [10, 20])
def test_the_page_costs_the_same_for_20_as_for_10(
    client: Client, many: int, round_trips: list[object], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for user in UserFactory.bulk_create(many):
        makers.checked_in_on(user, makers.days_in_a_row(TODAY, 4))
    leaderboard.rebuild_if_missing()
    round_trips.clear()
    with django_assert_num_queries(1):
        assert client.get("/sign-in/leaders/").content.count(b"data-place") == many
    assert len(round_trips) == 1
