import pytest
from django.db.models import Sum

from apps.accounts.models import User
from apps.demo.traffic import activity, visits
from apps.logship.models import CityVisits
from apps.metrics import counters
from apps.redis_kit import client
from apps.uv import days, page_kinds, popular
from apps.uv import visits as counted
from apps.uv.models import DailyVisits
from tests.blog import makers
from tests.shops import makers as shop_makers

pytestmark = pytest.mark.django_db


@pytest.fixture
def city(bob: User) -> None:
    for shop in shop_makers.shops(20):
        makers.note(bob, shop=shop)


@pytest.mark.usefixtures("city")
def test_a_month_of_visitors_is_there_and_comes_once() -> None:
    views = visits.make(seed=1)
    found = counted.build_report(page_kinds.Scope(), days.ending_on(days.today(), 30)[0], days.today())
    assert found.month.uv is not None
    assert visits.VISITOR_POOL * 0.9 < found.month.uv < visits.VISITOR_POOL * 1.1
    assert sum(day.pv for day in found.days) == views + visits.VIEWS_NOW
    assert all(day.uv >= visits.MIN_VISITORS * 0.95 for day in found.days)
    assert len(popular.top_ids("shop", 99)) > 5
    assert visits.make(seed=1) == 0


@pytest.mark.usefixtures("city")
def test_the_charts_of_a_month_have_the_visits_by_city_and_the_requests() -> None:
    visits.make(seed=1)
    seen = activity.make(seed=1)
    by_city = dict(CityVisits.objects.values_list("city").annotate(Sum("visits")))
    assert sum(by_city.values()) == seen > 0
    assert by_city["Hangzhou|杭州"] > by_city["Shanghai|上海"] > by_city[""] > 0
    (hits,) = counters.read(client.get(), ["hits"], precision=86_400, samples=30)
    assert sum(count > 0 for count in hits.counts) >= 28
    (by_hour,) = counters.read(client.get(), ["hits"], precision=3_600, samples=24)
    assert sum(count > 0 for count in by_hour.counts) >= 23
    assert activity.make(seed=1) == 0


def test_an_empty_city_has_visitors_too() -> None:
    assert visits.make(seed=1) > 0
    assert not DailyVisits.objects.filter(object_id__gt=0).exists()
