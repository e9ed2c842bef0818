from datetime import date, timedelta
from typing import Any

import pytest
import redis
from django.core.management import call_command
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.redis_kit import client
from apps.signins import bitmaps, calendar, days, leaders, makeups, rebuilding, reconcile
from apps.signins.days import DAY
from apps.signins.models import PointEntry, SignInMonth, Standing
from tests.races import race
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)
MONTH = date(2026, 11, 1)


def test_flushed_sign_ins_come_back(alice: User, bob: User, guarded_redis: redis.Redis) -> None:
    makers.signed(alice, makers.row(TODAY, 70))
    makers.signed(bob, makers.row(TODAY - DAY, 3))
    guarded_redis.flushall()
    heard: list[tuple[int, int]] = []
    restored = rebuilding.rebuild(lambda done, total: heard.append((done, total)))
    assert restored == 3 + 1 + 2, "months of alice and bob, and two places"
    assert heard[-1] == (restored, restored)
    assert bitmaps.held([(bob.pk, MONTH)])
    assert guarded_redis.zscore(leaders.board_key(TODAY), str(alice.pk)) == 70
    assert reconcile.drift(fix=False) == []


def test_the_command_knows_it(alice: User, guarded_redis: redis.Redis) -> None:
    makers.signed(alice, makers.row(TODAY, 2))
    guarded_redis.flushall()
    call_command("rebuild_redis", "signins")
    assert bitmaps.held([(alice.pk, MONTH)])


def test_a_storm_leaves_no_drift(alice: User, bob: User) -> None:
    for user in (alice, bob):
        makers.signed(user, makers.row(TODAY - 3 * DAY, 8), points=500)
    leaders.heal()

    def one(number: int) -> Any:
        user = (alice, bob)[number % 2]
        if number % 3:
            return calendar.sign_in(user)
        return makeups.make_up(user, TODAY - (number // 6 % 2 + 1) * DAY)

    race(48, one)
    assert reconcile.drift(fix=False) == []
    assert Standing.objects.get(user=alice).streak == 11


def test_wrong_totals_are_found_and_mended(alice: User) -> None:
    makers.signed(alice, makers.row(TODAY, 4), points=10)
    Standing.objects.update(points=99, best=50, streak=0)
    (found,) = reconcile.drift(fix=False)
    assert found.held == "99 points, streak 0, best 50, 4 days, last 2026-11-21"
    assert found.rows == "10 points, streak 4, best 4, 4 days, last 2026-11-21"
    assert reconcile.drift(fix=True) == [found]
    assert reconcile.drift(fix=False) == []
    standing = Standing.objects.get(user=alice)
    assert (standing.points, standing.best, standing.streak) == (10, 4, 4)


def test_rows_without_a_standing_get_one(alice: User, bob: User) -> None:
    """As after loading days from elsewhere."""
    SignInMonth.objects.create(user=alice, month=MONTH, mask=days.bit(TODAY))
    PointEntry.objects.create(user=bob, amount=7, reason="adjustment", day=TODAY, key="k")
    assert len(reconcile.drift(fix=True)) == 2
    assert Standing.objects.get(user=alice).streak == 1
    assert Standing.objects.get(user=bob).points == 7


def test_a_month_that_redis_missed_or_invented_is_mended(alice: User, bob: User) -> None:
    makers.signed(alice, [TODAY])
    bitmaps.fill({(alice.pk, MONTH): 0, (bob.pk, MONTH): days.bit(TODAY)})
    assert len(reconcile.drift(fix=True)) == 2
    assert bitmaps.held([(alice.pk, MONTH)]) == {(alice.pk, MONTH): days.bit(TODAY)}
    assert bitmaps.held([(bob.pk, MONTH)]) == {(bob.pk, MONTH): 0}
    assert reconcile.drift(fix=False) == []


def test_a_wrong_board_is_built_again(alice: User, guarded_redis: redis.Redis) -> None:
    makers.signed(alice, makers.row(TODAY, 4))
    leaders.heal()
    guarded_redis.zadd(leaders.board_key(TODAY), {"999": 77, str(alice.pk): 5})
    assert {(one.user_id, one.held, one.rows) for one in reconcile.drift(fix=True)} == {
        (999, "77", "None"),
        (alice.pk, "5", "4"),
    }
    assert reconcile.drift(fix=False) == []
    assert guarded_redis.zrange(leaders.board_key(TODAY), 0, -1, withscores=True) == [(str(alice.pk), 4.0)]


def test_what_redis_does_not_hold_is_no_drift(alice: User) -> None:
    makers.signed(alice, makers.row(TODAY, 4))
    assert reconcile.drift(fix=False) == []


@pytest.mark.parametrize("many", [10, 20])
def test_comparing_costs_the_same_for_20_people_as_for_10(
    many: int, round_trips: list[object], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for user in makers.people(many):
        makers.signed(user, makers.row(TODAY, 4))
    rebuilding.rebuild(lambda done, total: None)
    round_trips.clear()
    with django_assert_num_queries(7):
        assert reconcile.drift(fix=False) == []


def test_without_redis_it_says_so(alice: User, redis_away: None) -> None:
    makers.signed(alice, makers.row(TODAY, 4))
    with pytest.raises(client.UNAVAILABLE):
        reconcile.drift(fix=False)


def test_rebuilt_months_expire(alice: User, guarded_redis: redis.Redis) -> None:
    makers.signed(alice, makers.row(TODAY, 4))
    rebuilding.rebuild(lambda done, total: None)
    ttl = guarded_redis.ttl(bitmaps.key_of(alice.pk, MONTH))
    assert 0 < ttl <= bitmaps.KEPT / timedelta(seconds=1)
