from datetime import date, timedelta
from typing import Any

import pytest
import redis
from django.core.management import call_command
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.redis_kit import client
from apps.signins import check_ins, reconcile
from apps.signins.models import Standing
from apps.signins.streaks import bitmaps, days, leaderboard
from apps.signins.streaks.days import ONE_DAY
from tests.differences import find_differences
from tests.factories import PointEntryFactory, SignInMonthFactory, UserFactory
from tests.races import race
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)
MONTH = date(2026, 11, 1)


def test_flushed_sign_ins_come_back(alice: User, bob: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 70))
    makers.checked_in_on(bob, makers.days_in_a_row(TODAY - ONE_DAY, 3))
    guarded_redis.flushall()
    heard: list[tuple[int, int]] = []
    restored = reconcile.rebuild(lambda done, total: heard.append((done, total)))
    assert restored == 3 + 1 + 2, "months of alice and bob, and two places"
    assert heard[-1] == (restored, restored)
    assert bitmaps.read_cached([(bob.pk, MONTH)])
    assert guarded_redis.zscore(leaderboard.board_key(TODAY), str(alice.pk)) == 70
    assert find_differences("signins") == []


def test_the_command_knows_it(alice: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 2))
    guarded_redis.flushall()
    call_command("rebuild_redis", "signins")
    assert bitmaps.read_cached([(alice.pk, MONTH)])


@pytest.mark.both_databases
def test_a_storm_leaves_no_drift(alice: User, bob: User) -> None:
    for user in (alice, bob):
        makers.checked_in_on(user, makers.days_in_a_row(TODAY - 3 * ONE_DAY, 8), points=500)
    leaderboard.rebuild_if_missing()

    def one(number: int) -> Any:
        user = (alice, bob)[number % 2]
        if number % 3:
            return check_ins.check_in_today(user.pk)
        return check_ins.make_up(user, TODAY - (number // 6 % 2 + 1) * ONE_DAY)

    race(48, one)
    assert find_differences("signins") == []
    assert Standing.objects.get(user=alice).streak == 11


def test_wrong_totals_are_found_and_mended(alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4), points=10)
    Standing.objects.update(points=99, best=50, streak=0)
    (found,) = find_differences("signins")
    assert found.actual == "99 points, streak 0, best 50, 4 days, last 2026-11-21"
    assert found.expected == "10 points, streak 4, best 4, 4 days, last 2026-11-21"
    assert find_differences("signins", fix=True) == [found]
    assert find_differences("signins") == []
    standing = Standing.objects.get(user=alice)
    assert (standing.points, standing.best, standing.streak) == (10, 4, 4)


@pytest.mark.both_databases
def test_rows_without_a_standing_get_one(alice: User, bob: User) -> None:
    """As after loading days from elsewhere."""
    SignInMonthFactory.create(user=alice, month=MONTH, mask=days.day_bit(TODAY))
    PointEntryFactory.create(user=bob, amount=7, day=TODAY)
    assert len(find_differences("signins", fix=True)) == 2
    assert Standing.objects.get(user=alice).streak == 1
    assert Standing.objects.get(user=bob).points == 7


def test_a_month_that_redis_missed_or_invented_is_mended(alice: User, bob: User) -> None:
    makers.checked_in_on(alice, [TODAY])
    bitmaps.fill_masks({(alice.pk, MONTH): 0, (bob.pk, MONTH): days.day_bit(TODAY)})
    assert len(find_differences("signins", fix=True)) == 2
    assert bitmaps.read_masks(alice.pk, [MONTH]) == {MONTH: days.day_bit(TODAY)}
    assert bitmaps.read_masks(bob.pk, [MONTH]) == {MONTH: 0}
    assert bitmaps.read_cached([(bob.pk, MONTH)]) == {(bob.pk, MONTH): 0}
    assert find_differences("signins") == []


def test_a_wrong_board_is_built_again(alice: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    leaderboard.rebuild_if_missing()
    guarded_redis.zadd(leaderboard.board_key(TODAY), {"999": 77, str(alice.pk): 5})
    assert {(one.owner, one.actual, one.expected) for one in find_differences("signins", fix=True)} == {
        ("person 999", "77", "None"),
        (f"person {alice.pk}", "5", "4"),
    }
    assert find_differences("signins") == []
    assert guarded_redis.zrange(leaderboard.board_key(TODAY), 0, -1, withscores=True) == [
        (str(alice.pk), 4.0)
    ]


def test_what_redis_does_not_hold_is_no_drift(alice: User) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    assert find_differences("signins") == []


@pytest.mark.parametrize("many", [10, 20])
def test_comparing_costs_the_same_for_20_people_as_for_10(
    many: int, round_trips: list[object], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for user in UserFactory.bulk_create(many):
        makers.checked_in_on(user, makers.days_in_a_row(TODAY, 4))
    reconcile.rebuild(lambda done, total: None)
    round_trips.clear()
    with django_assert_num_queries(7):
        assert find_differences("signins") == []


def test_without_redis_it_says_so(alice: User, redis_away: None) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    with pytest.raises(client.UNAVAILABLE):
        find_differences("signins")


def test_rebuilt_months_expire(alice: User, guarded_redis: redis.Redis) -> None:
    makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4))
    reconcile.rebuild(lambda done, total: None)
    ttl = guarded_redis.ttl(bitmaps.month_key(alice.pk, MONTH))
    assert 0 < ttl <= bitmaps.MONTH_TTL / timedelta(seconds=1)
