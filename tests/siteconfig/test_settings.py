"""Settings of components: in force at once, refused when wrong, kept with history, back after a loss."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from django.core.exceptions import ValidationError
from pytest_django import Settings as DjangoSettings

from apps.accounts import limits as account_limits
from apps.accounts.live_settings import LOGINS
from apps.ads.learning.prices import Tally, price_smoothly
from apps.blog import limits as blog_limits
from apps.blog.live_settings import NOTES
from apps.coupons import limits
from apps.coupons.gateway import admission
from apps.coupons.live_settings import SALES
from apps.coupons.orders import closing
from apps.redis_kit import client as redis_client
from apps.siteconfig import keys, site_state
from apps.siteconfig.components import changes, copies
from apps.siteconfig.components.copies import copy
from apps.siteconfig.components.definitions import COMPONENTS
from apps.siteconfig.models import SettingsChange
from apps.web.problems import Problem
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)


def change(**overrides: int) -> SettingsChange:
    return changes.change(SALES, overrides, changed_by="Manager", based_on=changes.newest_number(SALES))


def test_defaults_are_those_of_code_and_environment(settings: DjangoSettings) -> None:
    settings.PAY_WITHIN = timedelta(seconds=7)
    assert SALES.current().pay_within_seconds == 7
    assert SALES.current().claims_per_ten_seconds == limits.CLAIM_LIMIT.allowed


def test_a_change_is_in_force_and_leaves_the_rest_at_its_default(settings: DjangoSettings) -> None:
    change(claims_per_ten_seconds=5)
    assert SALES.current().claims_per_ten_seconds == 5
    settings.PAY_WITHIN = timedelta(seconds=7)
    assert SALES.current().pay_within_seconds == 7
    assert SettingsChange.objects.get().overrides == {"claims_per_ten_seconds": 5}


def test_another_process_reads_the_copy_and_no_sql(django_assert_num_queries: Callable[..., object]) -> None:
    change(pay_within_seconds=120)
    site_state.poller.read_now()
    copy._by_component = {}
    copy._raw = {}
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        site_state.poller.read_now()
    assert SALES.current().pay_within_seconds == 120


def test_settings_stay_the_same_object_while_others_change() -> None:
    change(pay_within_seconds=120)
    before = copy.overrides_of("sales")
    changes.change(LOGINS, {"codes_per_minute": 5}, changed_by="Manager", based_on=0)
    assert copy.overrides_of("sales") is before


def test_a_lost_redis_is_filled_from_sql(guarded_redis: redis.Redis) -> None:
    change(pay_within_seconds=120)
    guarded_redis.flushall()
    copy.clear()
    site_state.poller.read_now()
    assert SALES.current().pay_within_seconds == 120


def test_a_rebuild_brings_back_what_an_older_sql_has() -> None:
    change(pay_within_seconds=120)
    change(pay_within_seconds=240)
    SettingsChange.objects.filter(number=2).delete()
    assert copies.rebuild() == 1
    site_state.poller.read_now()
    assert SALES.current().pay_within_seconds == 120


def test_while_redis_is_away_settings_stay(redis_away_now: Callable[[], None]) -> None:
    change(pay_within_seconds=120)
    redis_away_now()
    site_state.poller.read_now()
    assert SALES.current().pay_within_seconds == 120
    # A change is kept, and comes into force when Redis is back.
    change(pay_within_seconds=240)
    assert SettingsChange.objects.filter(component="sales").count() == 2
    assert SALES.current().pay_within_seconds == 120


def test_a_late_writer_does_not_bring_back_older_settings() -> None:
    older, newer = change(pay_within_seconds=120), change(pay_within_seconds=240)
    assert not copies.store(older)
    assert not copies.store(newer)
    stored = str(redis_client.get().hget(keys.SETTINGS(), "sales"))
    assert json.loads(stored.partition(" ")[2]) == newer.overrides
    assert redis_client.get().ttl(keys.SETTINGS()) == -1


@pytest.mark.both_databases
def test_of_fifty_changes_at_once_one_is_made(race: Race) -> None:
    def attempt(number: int) -> object:
        return changes.change(SALES, {"pay_within_seconds": 60 + number}, changed_by="Alice", based_on=0)

    outcomes = race(50, attempt)
    assert sum(isinstance(outcome, SettingsChange) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, ValidationError) for outcome in outcomes) == 49


@pytest.mark.both_databases
def test_an_earlier_state_comes_back_as_a_new_change() -> None:
    change(pay_within_seconds=120)
    change(pay_within_seconds=240)
    changes.restore(SALES, 1, changed_by="Alice", based_on=2)
    assert SALES.current().pay_within_seconds == 120
    changes.restore(SALES, 0, changed_by="Alice", based_on=3)
    assert SALES.current() == SALES.defaults()
    assert [row.number for row in SettingsChange.objects.all()] == [4, 3, 2, 1]


@pytest.mark.parametrize("planted", ["1", "9 [1]", '9 {"pay_within_seconds": -4}', "9 {", "x" * 100])
def test_planted_values_leave_the_defaults(guarded_redis: redis.Redis, planted: str) -> None:
    site_state.poller.read_now()
    guarded_redis.hset(keys.SETTINGS(), "sales", planted)
    site_state.poller.read_now()
    assert SALES.current() == SALES.defaults()


def test_every_component_takes_its_own_defaults() -> None:
    """A default that its own bounds refuse could not be saved again."""
    for component in COMPONENTS.entries():
        defaults = component.defaults()
        for setting in component.settings:
            assert setting.clean(getattr(defaults, setting.name)) == getattr(defaults, setting.name)
            assert setting.about.label


def test_apps_follow_their_settings(mailoutbox: object) -> None:
    before = closing.payment_deadline()
    change(pay_within_seconds=86_400, claims_per_ten_seconds=2)
    assert (closing.payment_deadline() - before).total_seconds() > 80_000
    limits.charge_claim(7)
    limits.charge_claim(7)
    with pytest.raises(Problem):
        limits.charge_claim(7)
    assert list(admission._people_args[-2:]) == [2, 10_000]
    changes.change(NOTES, {"comments_per_minute": 1, "notes_per_hour": 2}, changed_by="Manager", based_on=0)
    assert (blog_limits.comments().allowed, blog_limits.new_notes().allowed) == (1, 2)
    changes.change(LOGINS, {"codes_per_minute": 1}, changed_by="Manager", based_on=0)
    account_limits.charge_send("+8613800000001", ip="10.0.0.1")
    with pytest.raises(Problem, match="too_many_requests"):
        account_limits.charge_send("+8613800000002", ip="10.9.0.2")


def test_an_ad_that_does_not_explore_has_its_average_price() -> None:
    class Draw:
        """Fails when it is asked for a rate."""

        def random(self) -> float:
            return 0.5

    tally = Tally(views=800, events=8)
    prices = price_smoothly(1_000_000, tally, {}, 0.01, Draw(), exploring=0.0)  # type: ignore[arg-type]
    assert prices.ecpm == 10_000_000
