from datetime import timedelta

import pytest
import redis
import time_machine
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.signins import calendar, leaders, tasks
from apps.signins.days import DAY
from apps.signins.models import Standing
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)


def shown(viewer: User | None = None) -> list[tuple[int, str, int]]:
    """What the board says, and that Redis and SQL say the same."""
    board = leaders.board(viewer.pk if viewer else None)
    return [(place.rank, place.user.nickname, place.streak) for place in board.places]


def test_the_longest_streak_is_first_and_equal_ones_share_a_rank(
    alice: User, bob: User, charlie: User
) -> None:
    makers.signed(alice, makers.row(TODAY, 3))
    makers.signed(bob, makers.row(TODAY, 8))
    makers.signed(charlie, makers.row(TODAY, 3))
    from_sql = shown()
    assert leaders.heal()
    assert shown() == from_sql == [(1, "Bob", 8), (2, "Charlie", 3), (2, "Alice", 3)]


def test_a_sign_in_moves_one_up(alice: User, bob: User) -> None:
    makers.signed(alice, makers.row(TODAY - DAY, 5))
    makers.signed(bob, makers.row(TODAY, 5))
    leaders.heal()
    calendar.sign_in(alice)
    assert shown() == [(1, "Alice", 6), (2, "Bob", 5)]


def test_who_missed_yesterday_is_gone_tomorrow_with_no_sweep(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    for user in (alice, bob):
        calendar.sign_in(user)
    clock.shift(DAY)
    leaders.heal()
    calendar.sign_in(bob)
    assert shown() == [(1, "Bob", 2), (2, "Alice", 1)], "Alice can still continue today"
    clock.shift(DAY)
    leaders.heal()
    assert shown() == [(1, "Bob", 2)]
    clock.shift(DAY)
    leaders.heal()
    assert shown() == []


def test_my_rank_also_beyond_the_list(alice: User, bob: User) -> None:
    for number, user in enumerate(makers.people(leaders.SHOWN + 3)):
        makers.signed(user, makers.row(TODAY, 2 + number))
    makers.signed(alice, [TODAY])
    expected = (leaders.SHOWN + 4, 1)
    assert leaders.board(alice.pk).mine == expected
    leaders.heal()
    assert leaders.board(alice.pk).mine == expected
    assert leaders.board(bob.pk).mine is None
    assert len(leaders.board(None).places) == leaders.SHOWN


def test_a_board_that_nobody_vouches_for_is_not_shown(alice: User, bob: User) -> None:
    """After a loss a sign-in makes a board of one: readers ask SQL until the whole one is back."""
    makers.signed(alice, makers.row(TODAY, 4))
    calendar.sign_in(bob)
    assert shown() == [(1, "Alice", 4), (2, "Bob", 1)]


def test_it_is_rebuilt_by_the_task_and_only_when_missing(alice: User, guarded_redis: redis.Redis) -> None:
    makers.signed(alice, makers.row(TODAY, 4))
    tasks.heal()
    assert guarded_redis.zscore(leaders.board_key(TODAY), str(alice.pk)) == 4
    assert not leaders.heal()


def test_boards_expire(alice: User, guarded_redis: redis.Redis) -> None:
    calendar.sign_in(alice)
    leaders.heal()
    for key in (leaders.board_key(TODAY), leaders.board_key(TODAY + DAY)):
        assert 0 < guarded_redis.ttl(key) <= leaders.BOARD_KEPT / timedelta(seconds=1)
    vouched = guarded_redis.ttl(leaders.whole_key(TODAY))
    assert (
        0 < vouched <= leaders.WHOLE_KEPT / timedelta(seconds=1) < guarded_redis.ttl(leaders.board_key(TODAY))
    )


def test_a_late_rebuild_takes_nobody_back(alice: User) -> None:
    """It read SQL before the sign-in and writes after it."""
    makers.signed(alice, makers.row(TODAY - DAY, 5))
    old = Standing.objects.get(user=alice)
    calendar.sign_in(alice)
    leaders.enter([old])
    leaders.heal()
    assert shown() == [(1, "Alice", 6)]


def test_who_is_switched_off_is_not_shown(alice: User, bob: User) -> None:
    for user in (alice, bob):
        makers.signed(user, makers.row(TODAY, 4))
    leaders.heal()
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert [name for _, name, _ in shown()] == ["Bob"]


def test_without_redis_it_comes_from_sql(alice: User, redis_away: None) -> None:
    makers.signed(alice, makers.row(TODAY, 4))
    tasks.heal()
    assert shown(alice) == [(1, "Alice", 4)]


@pytest.mark.parametrize("many", [10, 20])
def test_the_page_costs_the_same_for_20_as_for_10(
    client: Client, many: int, round_trips: list[object], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for user in makers.people(many):
        makers.signed(user, makers.row(TODAY, 4))
    leaders.heal()
    round_trips.clear()
    with django_assert_num_queries(1):
        assert client.get("/sign-in/leaders/").content.count(b"data-place") == many
    assert len(round_trips) == 1
