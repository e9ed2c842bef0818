"""A campaign's money goes out over its day as its visitors come."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.utils import timezone

from apps.ads import changes, insight, keys, loading, serving
from apps.ads.models import Campaign
from apps.ads.money import charging, pacing
from apps.redis_kit import client
from tests.ads import makers

ZONE = ZoneInfo(settings.TIME_ZONE)
MORNING = datetime(2026, 11, 23, 6, tzinfo=ZONE)
FLAT = [1 / 24] * 24


def plan(now: datetime, spent_today: int = 0, **columns: object) -> pacing.DayPlan | None:
    valid = {"budget_micros": 1_000, "begins_at": MORNING - timedelta(days=9), "price_micros": 1}
    return pacing.plan_day(Campaign(**(valid | columns)), spent_today, now)


def test_a_campaign_without_end_or_cap_has_no_plan() -> None:
    assert plan(MORNING) is None


def test_the_rest_of_a_budget_is_shared_by_the_days_that_are_left() -> None:
    planned = plan(MORNING, charged_micros=400, spent_today=100, ends_at=MORNING + timedelta(days=2))
    # 600 are left and 100 of today are spent: 700 for three days that have begun by then.
    assert planned
    assert planned.total_micros == 700 // 3
    assert planned.planned(MORNING, FLAT) == round(233 / 4)


def test_a_cap_is_a_plan_and_the_smaller_one_counts() -> None:
    capped = plan(MORNING, daily_cap_micros=240)
    assert capped
    assert [capped.planned(MORNING + timedelta(hours=h), FLAT) for h in (0, 6, 17)] == [60, 120, 230]
    both = plan(MORNING, daily_cap_micros=240, ends_at=MORNING + timedelta(days=40))
    assert both
    assert both.total_micros == 1_000 // 41


def test_the_first_and_last_day_are_as_long_as_the_campaign() -> None:
    first = plan(MORNING, daily_cap_micros=100, begins_at=MORNING, ends_at=MORNING + timedelta(hours=4))
    assert first
    moments = [MORNING + timedelta(hours=hours) for hours in (-1, 0, 1, 2, 4, 9)]
    assert [first.planned(moment, FLAT) for moment in moments] == [0, 0, 25, 50, 100, 100]


def test_the_expected_day_is_learned_from_the_week() -> None:
    assert pacing.to_shares([]) == pytest.approx([pages / 679 for pages in pacing.USUAL_DAY], rel=0.05)
    noon = pacing.to_shares([{"12": 700}] * 7)
    assert noon[12] > 0.85
    assert sum(noon) == pytest.approx(1)


def test_the_rate_falls_ahead_of_the_plan_and_rises_behind_it() -> None:
    assert pacing.next_rate(1_000, is_behind=True) == 1_250
    assert pacing.next_rate(1_000, is_behind=False) == 800
    assert pacing.next_rate(pacing.WHOLE_RATE, is_behind=True) == pacing.WHOLE_RATE
    assert pacing.next_rate(1, is_behind=False) == pacing.MIN_RATE


@pytest.mark.django_db(transaction=True)
def test_a_campaign_stops_at_what_it_may_spend_by_now() -> None:
    now = timezone.localtime().replace(hour=12)
    begins = now.replace(hour=0)
    capped = makers.campaign(pricing="cpm", price_micros=10_000, daily_cap_micros=10_000, begins_at=begins)
    makers.ad(capped)
    free = makers.ad(makers.campaign(pricing="cpm", price_micros=1_000))
    assert pacing.update(now) == 1
    allowed = int(str(client.get().hget(keys.RATES(), f"{capped.pk}:allowed")))
    assert 0 < allowed < 10_000
    spent_key = keys.SPENT(day=keys.day_name(now.date()))
    loading.raise_counts(spent_key, {str(capped.pk): allowed}, ttl=keys.DAY_TTL_SECONDS)
    served = serving.choose("shop", [], makers.ANYWHERE, makers.VIEWER, at=now)
    assert served
    assert served.ad_id == free.pk
    state = insight.live_state(capped.pk)
    assert state
    assert state.spent_today_micros == allowed


@pytest.mark.django_db(transaction=True)
def test_a_campaign_that_loses_its_plan_runs_freely() -> None:
    campaign = makers.campaign(daily_cap_micros=10**6)
    pacing.update()
    assert client.get().hlen(keys.RATES()) == 2
    campaign.daily_cap_micros = 0
    changes.save_campaign(campaign)
    assert pacing.update() == 0
    assert client.get().exists(keys.RATES()) == 0


@pytest.mark.django_db(transaction=True)
def test_the_curve_shows_plan_and_charges_by_hour() -> None:
    now = timezone.localtime()
    begins = now.replace(hour=0, minute=0, second=0, microsecond=0)
    campaign = makers.campaign(pricing="cpm", price_micros=10_000, daily_cap_micros=5_000, begins_at=begins)
    makers.ad(campaign)
    for _ in range(3):
        makers.see(makers.serve())
    charging.drain()
    curve = insight.pacing_curve(campaign, now.date())
    assert [point.hour_end.hour for point in curve] == [*range(1, 24), 0]
    assert curve[-1].planned_micros == 5_000
    assert [point.planned_micros for point in curve] == sorted(point.planned_micros for point in curve)
    assert curve[-1].spent_micros == 30


@pytest.mark.django_db(transaction=True)
def test_the_admin_sees_why_an_ad_wins() -> None:
    tea = makers.ad(makers.campaign(pricing="cpm", price_micros=2_000), words=["tea"])
    beer = makers.ad(makers.campaign(pricing="cpm", price_micros=9_000, is_on=True), words=["beer"])
    found = insight.why_here(["Tea"], makers.ANYWHERE)
    assert [(one.ad_id, one.value, one.words, one.is_open) for one in found] == [
        (beer.pk, 9_000, (), True),
        (tea.pk, 2_000, ("tea",), True),
    ]
    assert [word.word for word in insight.word_bonuses(tea.pk)] == ["tea"]
