"""Redis, the stream and SQL's rows say the same of every micro, also after a loss."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import pytest
import redis
from django.utils import timezone

from apps.ads import changes, keys, loading, serving, tasks
from apps.ads.learning import repricing
from apps.ads.models import Ad, AdWord, Campaign, Charge, DailyCount, RefusedCharge
from apps.ads.money import charging
from apps.ads.serving import Outcome
from apps.redis_kit import client, streams
from apps.web.problems import Problem
from tests.ads import makers
from tests.ads.makers import VIEWER
from tests.differences import find_differences

pytestmark = pytest.mark.django_db(transaction=True)
COST = 250_000


def click(times: int = 1) -> None:
    for _ in range(times):
        served = makers.serve("tea")
        makers.see(served)
        assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.CHARGED


def aspects() -> list[tuple[str, str]]:
    return [(found.owner.split()[0], found.aspect) for found in find_differences("ads")]


def test_a_charge_becomes_a_row_and_its_entry_goes() -> None:
    ad = makers.ad(words=["tea"])
    click(3)
    assert find_differences("ads") == []
    assert charging.drain() == 3
    assert charging.drain() == 0
    assert client.get().xlen(keys.CHARGES()) == 0
    charge = Charge.objects.filter(ad=ad, kind="click", is_billed=True)
    assert [charge.count(), Campaign.objects.get().charged_micros] == [3, 3 * COST]
    assert find_differences("ads") == []


def test_an_entry_that_comes_twice_is_billed_once() -> None:
    makers.ad()
    click()
    ((entry_id, fields),) = cast(list[tuple[str, dict[str, str]]], client.get().xrange(keys.CHARGES()))
    entries = [streams.Entry(keys.CHARGES(), entry_id, fields)] * 2
    assert charging.record_batch(entries) == []
    assert charging.record_batch(entries) == []
    # The row is there and the entry too: the books still agree.
    assert find_differences("ads") == []
    assert Campaign.objects.get().charged_micros == COST


@pytest.mark.both_databases
def test_what_is_no_charge_is_refused_with_its_reason() -> None:
    ad = makers.ad()
    stream, valid = keys.CHARGES(), {"v": "1", "kind": "click", "ticket": "x", "micros": "1", "at": "5"}
    valid |= {"ad": str(ad.pk), "campaign": str(ad.campaign_id)}
    for wrong in ({"v": "2"}, {"micros": "1.5"}, {"micros": "-1"}, {"ad": "99"}, {"kind": "look"}):
        client.get().xadd(stream, cast(Any, valid | wrong))
    assert charging.drain() == 5
    assert [RefusedCharge.objects.count(), Charge.objects.count()] == [5, 0]


def test_sql_bills_no_more_than_the_budget() -> None:
    """A Redis that came back from an old snapshot has money that is spent."""
    makers.ad(makers.campaign(budget_micros=3 * COST))
    click(2)
    charging.drain()
    client.get().hincrby(keys.LEFT(), str(Campaign.objects.get().pk), 2 * COST)
    click(2)
    charging.drain()
    assert Campaign.objects.get().charged_micros == 3 * COST
    assert Charge.objects.filter(is_billed=False).count() == 1


@pytest.mark.both_databases
def test_counts_are_saved_by_day_by_word_and_altogether() -> None:
    ad = makers.ad(words=["tea", "cake"])
    click(2)
    makers.serve()
    tasks.save()
    assert client.get().exists(keys.CHANGED(), keys.SAVING()) == 0
    saved = Ad.objects.get()
    assert [saved.views, saved.clicks, saved.invalid] == [2, 2, 0]
    assert set(AdWord.objects.values_list("word", "views", "clicks")) == {("tea", 2, 2), ("cake", 0, 0)}
    day = DailyCount.objects.get(ad=ad)
    assert [day.served, day.views, day.clicks, day.spent_micros] == [3, 2, 2, 2 * COST]


def test_a_save_that_was_cut_off_is_done_by_the_next() -> None:
    ad = makers.ad()
    click()
    client.get().rename(keys.CHANGED(), keys.SAVING())
    assert repricing.save_counts() == 1
    assert Ad.objects.get(pk=ad.pk).clicks == 1


@pytest.mark.both_databases
def test_a_lost_redis_comes_back_with_all_that_sql_had_recorded(guarded_redis: redis.Redis) -> None:
    ad = makers.ad(words=["tea"])
    click(3)
    tasks.save()
    click(2)
    guarded_redis.flushall()
    assert serving.choose("shop", [], makers.ANYWHERE, VIEWER) is None
    tasks.pace()
    # The two clicks that were still in the stream are billed to nobody, and their money is left again.
    assert makers.left(ad.campaign) == 100 * 1_000_000 - 3 * COST
    assert client.get().hgetall(keys.COUNTS(ad=ad.pk)) == {
        **{"views": "3", "clicks": "3", "views:tea": "3", "clicks:tea": "3"}
    }
    assert find_differences("ads") == []
    click()
    tasks.save()
    assert Campaign.objects.get().charged_micros == 4 * COST
    assert Ad.objects.get().clicks == 4


def test_a_stream_without_an_entry_yet_gives_no_budget_back(guarded_redis: redis.Redis) -> None:
    ad = makers.ad()
    click(4)
    tasks.save()
    guarded_redis.flushall()
    # The consumer makes its group, and the stream for it, before the campaigns are loaded.
    assert charging.drain() == 0
    tasks.pace()
    assert makers.left(ad.campaign) == 100 * 1_000_000 - 4 * COST
    assert find_differences("ads") == []


def test_a_rebuild_of_a_living_redis_takes_nothing_back() -> None:
    ad = makers.ad()
    click(2)
    assert loading.rebuild(lambda _done, _total: None) == 1
    assert makers.left(ad.campaign) == 100 * 1_000_000 - 2 * COST
    assert client.get().hget(keys.COUNTS(ad=ad.pk), "clicks") == "2"


@pytest.mark.both_databases
def test_every_difference_is_found_and_mended(guarded_redis: redis.Redis) -> None:
    ad = makers.ad(words=["tea"])
    click(2)
    tasks.save()
    field = str(ad.campaign_id)
    guarded_redis.hincrby(keys.LEFT(), field, 7)
    guarded_redis.hset(keys.COUNTS(ad=ad.pk), "views", 1)
    guarded_redis.zrem(keys.PLACE(place="everywhere"), str(ad.pk))
    Campaign.objects.update(charged_micros=1)
    assert aspects() == [("campaign", "charged"), ("campaign", "left"), ("ad", "counts"), ("ad", "index")]
    find_differences("ads", fix=True)
    find_differences("ads", fix=True)
    assert find_differences("ads") == []
    assert makers.left(ad.campaign) == 100 * 1_000_000 - 2 * COST


@pytest.mark.parametrize("wrong", [7, -COST, None])
def test_what_a_day_spent_is_compared_with_its_charges(guarded_redis: redis.Redis, wrong: int | None) -> None:
    """One charge has its row, one is in the stream; a counter that is too high, too low or gone."""
    ad = makers.ad(makers.campaign(daily_cap_micros=3 * COST))
    click()
    tasks.save()
    click()
    assert find_differences("ads") == []
    day = timezone.localdate()
    key, field = keys.SPENT(day=keys.day_name(day)), str(ad.campaign_id)
    if wrong is None:
        guarded_redis.delete(key)
    else:
        guarded_redis.hincrby(key, field, wrong)
    found = find_differences("ads")
    actual = 0 if wrong is None else 2 * COST + wrong
    assert [(one.aspect, one.actual, one.expected) for one in found] == [
        (f"spent on {day}", str(actual), str(2 * COST))
    ]
    find_differences("ads", fix=True)
    assert find_differences("ads") == []
    assert guarded_redis.hget(key, field) == str(2 * COST)
    assert 0 < guarded_redis.ttl(key) <= keys.DAY_TTL_SECONDS


def test_a_charge_at_midnight_belongs_to_either_day() -> None:
    makers.ad()
    click()
    tasks.save()
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    for seconds in (-5, 5):
        Charge.objects.update(charged_at=midnight + timedelta(seconds=seconds))
        assert find_differences("ads") == []
    Charge.objects.update(charged_at=midnight - timedelta(minutes=1))
    assert [one.actual for one in find_differences("ads")] == ["0", str(COST)]


@pytest.mark.both_databases
def test_a_budget_that_redis_did_not_hear_of_is_mended(guarded_redis: redis.Redis) -> None:
    ad = makers.ad()
    Campaign.objects.update(budget_micros=7 * COST)
    assert aspects() == [("campaign", "rules")]
    find_differences("ads", fix=True)
    assert find_differences("ads") == []
    assert makers.left(ad.campaign) == 7 * COST


@pytest.mark.both_databases
def test_a_budget_may_rise_and_fall_while_it_runs() -> None:
    campaign = makers.ad(makers.campaign(budget_micros=4 * COST)).campaign
    click(3)
    changes.change_budget(campaign.pk, 10 * COST)
    assert makers.left(campaign) == 7 * COST
    changes.change_budget(campaign.pk, 3 * COST)
    assert makers.left(campaign) == 0
    # Nothing is recorded in SQL yet: Redis knows that three clicks are spent.
    with pytest.raises(Problem, match="spent"):
        changes.change_budget(campaign.pk, 2 * COST)
    assert Campaign.objects.get().budget_micros == 3 * COST
    assert find_differences("ads") == []


def test_without_redis_a_budget_may_rise_but_not_fall(redis_away_now: Callable[[], None]) -> None:
    campaign = makers.campaign(budget_micros=4 * COST)
    redis_away_now()
    changes.change_budget(campaign.pk, 5 * COST)
    with pytest.raises(Problem) as refused:
        changes.change_budget(campaign.pk, 3 * COST)
    assert refused.value.status == 503
    assert Campaign.objects.get().budget_micros == 5 * COST


@pytest.mark.both_databases
def test_a_campaign_that_is_over_leaves_redis_after_a_day(guarded_redis: redis.Redis) -> None:
    ad = makers.ad()
    now = timezone.now()
    Campaign.objects.update(begins_at=now - timedelta(days=3), ends_at=now - timedelta(days=2))
    assert loading.remove_finished() == 1
    assert guarded_redis.hexists(keys.ADS(), str(ad.pk)) is False
    assert guarded_redis.exists(keys.PLACE(place="everywhere"), keys.LEFT(), keys.CAMPAIGNS()) == 0
    assert find_differences("ads") == []


@pytest.mark.both_databases
def test_a_stop_that_redis_did_not_hear_of_is_mended(guarded_redis: redis.Redis) -> None:
    makers.ad()
    Campaign.objects.update(is_on=False, revision=9)
    assert aspects() == [("campaign", "rules")]
    find_differences("ads", fix=True)
    assert serving.choose("shop", [], makers.ANYWHERE, VIEWER) is None
    assert find_differences("ads") == []
