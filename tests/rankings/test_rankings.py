"""Rankings: scores that decay, places, what changed since last week, and the copy in Redis."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.blog.models import Note
from apps.rankings import keys, rankings
from apps.rankings.models import Rank
from apps.rankings.rankings import RankedShop
from apps.redis_kit import client
from apps.shops import changes
from apps.shops.geo import cities
from apps.shops.models import Shop
from apps.uv import days
from tests.blog import makers as notes
from tests.factories import CityFactory, DailyVisitsFactory, RankFactory, SaveFactory, VoucherOrderFactory
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
CITIES = HANGZHOU, SHANGHAI = CityFactory.build(), CityFactory.build(shanghai=True)
#: A Wednesday.
DAY = date(2026, 11, 18)
NOON = datetime(2026, 11, 18, 4, tzinfo=UTC)


def visit(shop: Shop, visitors: int, day: date = DAY) -> None:
    DailyVisitsFactory.create(day=day, scope="shop", object_id=shop.pk, uv=visitors, pv=9 * visitors)


def ranked_ids(city: object = HANGZHOU, type_id: int | None = None) -> list[int]:
    found = rankings.read(city)  # type: ignore[arg-type]
    wanted = shops.shop_type().pk if type_id is None else type_id
    return [place.shop_id for place in found.get(wanted, [])]


def test_a_score_is_what_people_did_and_half_of_it_a_week_later(alice: User, bob: User) -> None:
    shop, week = shops.shop(), timedelta(weeks=1)
    visit(shop, 8)
    SaveFactory.create(user=alice, shop=shop, created_at=NOON - week)
    notes.note(alice, shop=shop, at=NOON - 2 * week, rating=4, photos=0)
    notes.note(bob, shop=shop, at=NOON, rating=None, photos=0)
    VoucherOrderFactory.create(voucher__shop=shop, user=alice, paid=True, accepted_at=NOON - week)
    # None of these counts.
    VoucherOrderFactory.create(voucher__shop=shop, user=alice, cancelled=True, accepted_at=NOON)
    notes.note(bob, shop=shop, at=NOON, status=Note.Status.DELETED, photos=0)
    visit(shop, 900, DAY - timedelta(rankings.COUNTED_DAYS))
    visit(shop, 900, DAY + days.ONE_DAY)
    expected = 8 + 5 / 2 + 2 * 4 / 4 + 2 * 3 + 8 / 2
    assert rankings.score_shops([shop.pk], DAY) == {shop.pk: pytest.approx(expected)}


def test_a_day_is_the_site_s_own(alice: User) -> None:
    shop, zone = shops.shop(), timezone.get_default_timezone()
    SaveFactory.create(user=alice, shop=shop, created_at=datetime(2026, 11, 18, 0, 30, tzinfo=zone))
    assert rankings.score_shops([shop.pk], DAY) == {shop.pk: 5}
    assert rankings.score_shops([shop.pk], DAY - days.ONE_DAY) == {}


@pytest.mark.both_databases
def test_the_best_comes_first_and_the_older_before_an_equal() -> None:
    first, second, third, quiet = shops.shops(4)
    visit(first, 3)
    visit(second, 7)
    visit(third, 3)
    assert rankings.write_week(HANGZHOU, DAY) == 3
    assert ranked_ids() == [second.pk, first.pk, third.pk]
    row = Rank.objects.get(shop=second)
    assert (row.week, row.rank, row.score) == (date(2026, 11, 16), 1, 7)
    assert not Rank.objects.filter(shop=quiet).exists()


def test_cities_and_types_have_rankings_of_their_own() -> None:
    food, bar = shops.shop(), shops.shop(type="bar")
    far = shops.shop("Bund Noodles", lat=SHANGHAI.centre.lat, lng=SHANGHAI.centre.lng)
    for shop in (food, bar, far):
        visit(shop, 1)
    for city in CITIES:
        rankings.write_week(city, DAY)
    assert ranked_ids() == [food.pk]
    assert ranked_ids(type_id=bar.type_id) == [bar.pk]
    assert ranked_ids(SHANGHAI) == [far.pk]


def test_places_are_compared_with_the_week_before() -> None:
    riser, faller, stays, newcomer = shops.shops(4)
    for visitors, shop in ((2, riser), (9, faller), (1, stays)):
        visit(shop, visitors, DAY - timedelta(weeks=1))
    rankings.write_week(HANGZHOU, DAY - timedelta(weeks=1))
    assert {place.is_new for place in rankings.read(HANGZHOU)[riser.type_id]} == {False}
    visit(riser, 90)
    visit(newcomer, 3)
    rankings.write_week(HANGZHOU, DAY)
    assert rankings.read(HANGZHOU)[riser.type_id] == [
        RankedShop(riser.pk, 1, change=1, is_new=False),
        RankedShop(faller.pk, 2, change=-1, is_new=False),
        RankedShop(newcomer.pk, 3, change=0, is_new=True),
        RankedShop(stays.pk, 4, change=-1, is_new=False),
    ]


@pytest.mark.both_databases
def test_a_week_s_rows_are_replaced_and_a_year_of_them_kept() -> None:
    shop, today = shops.shop(), days.today()
    visit(shop, 4, today - timedelta(weeks=1))
    old, kept = (rankings.monday(today) - timedelta(weeks=weeks) for weeks in (54, 53))
    for week in (old, kept):
        RankFactory.create(week=week, shop=shop)
    for _ in range(2):
        rankings.make()
    this_week = rankings.monday(today)
    made = [this_week - timedelta(weeks=1), this_week]
    for city, weeks in (("hangzhou", [kept, *made]), ("all", made)):
        assert sorted(Rank.objects.filter(city=city).values_list("week", flat=True)) == weeks


@pytest.mark.both_databases
def test_all_cities_together_have_rankings_of_their_own() -> None:
    near, far = shops.shop("Lake Noodles"), shops.shop("Bund Noodles", lat=31.2304, lng=121.4737)
    visit(far, 6, days.today())
    visit(near, 4, days.today())
    rankings.make()
    everywhere = cities.everywhere()
    assert everywhere
    assert [one.shop_id for one in rankings.read(everywhere)[near.type_id]] == [far.pk, near.pk]
    page = Client().get("/rankings/food/?city=all").content.decode()
    assert page.index(">Bund Noodles</a>") < page.index(">Lake Noodles</a>")
    ranked = Client().get("/api/rankings?type=food&city=all").json()["items"]
    assert [one["shop"]["name"] for one in ranked] == ["Bund Noodles", "Lake Noodles"]


def test_a_ranking_holds_fifty_shops() -> None:
    for number, shop in enumerate(shops.shops(rankings.MAX_RANKED_SHOPS + 1)):
        visit(shop, number + 1)
    assert rankings.write_week(HANGZHOU, DAY) == 50
    assert min(Rank.objects.values_list("score", flat=True)) == 2


@pytest.mark.both_databases
def test_a_delisted_shop_is_left_out() -> None:
    gone, stays = shops.shops(2)
    visit(gone, 9)
    visit(stays, 1)
    rankings.write_week(HANGZHOU, DAY)
    changes.update(Shop.objects.filter(pk=gone.pk), is_listed=False)
    rankings.write_week(HANGZHOU, DAY)
    assert ranked_ids() == [stays.pk]


def test_the_copy_expires_and_a_lost_one_fills_again() -> None:
    shop = shops.shop()
    visit(shop, 1)
    rankings.write_week(HANGZHOU, DAY)
    assert ranked_ids() == [shop.pk]
    assert 0 < client.get("cache").ttl(keys.CITY(city="hangzhou")) <= 86_400
    client.get("cache").flushall()
    assert ranked_ids() == [shop.pk]
    assert client.get("cache").exists(keys.CITY(city="hangzhou"))


@pytest.mark.usefixtures("redis_away")
def test_without_redis_rankings_are_made_and_read() -> None:
    shop = shops.shop()
    visit(shop, 1)
    rankings.write_week(HANGZHOU, DAY)
    assert ranked_ids() == [shop.pk]
