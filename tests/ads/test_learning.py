"""Ads learn from views and clicks what they, their words and their pricing are worth."""

import random

import pytest
from pytest_django.fixtures import Settings

from apps.ads import changes, keys, serving
from apps.ads.learning import prices, repricing
from apps.ads.learning.prices import Tally
from apps.ads.models import MICROS, Ad
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from tests.ads import makers, pages
from tests.ads.makers import VIEWER

QUARTER = MICROS // 4


def see_and_click(words: list[str], *, views: int, clicks: int) -> None:
    """So many views of the only ad on pages with these words, the last ones clicked."""
    for number in range(views):
        viewer = Viewer(f"viewer-{number}")
        served = serving.choose("shop", words, makers.ANYWHERE, viewer)
        assert served
        makers.see(served, viewer)
        if number >= views - clicks:
            serving.record_click(served.ticket, viewer)


@pytest.mark.django_db(transaction=True)
def test_a_quarter_a_click_and_one_click_of_a_hundred_views_is_an_ecpm_of_two_and_a_half(
    settings: Settings,
) -> None:
    settings.ADS_PLAIN_PRICES = True
    ad = makers.ad(words=["tea"])
    see_and_click([], views=100, clicks=1)
    assert pages.prices_in_redis()[ad.pk].ecpm == 2.5 * MICROS


@pytest.mark.django_db(transaction=True)
def test_a_word_that_brings_clicks_gets_a_bonus_and_raises_the_ceiling(settings: Settings) -> None:
    settings.ADS_PLAIN_PRICES = True
    ad = makers.ad(words=["tea", "火锅"])
    see_and_click(["beer"], views=60, clicks=0)
    see_and_click(["火锅"], views=40, clicks=2)
    learned = pages.prices_in_redis()[ad.pk]
    # The ad: 2 click rate (%); the word: 2 of 40.
    assert learned == prices.Prices(5 * MICROS, {"tea": 0, "火锅": 12_500_000 - 5 * MICROS})
    assert client.get().zscore(keys.PLACE(place="everywhere"), str(ad.pk)) == learned.ceiling


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("pricing", "event"), [("cpc", "clicks"), ("cpa", "actions")])
def test_the_average_of_a_pricing_moves_and_prices_new_ads(
    settings: Settings, pricing: str, event: str
) -> None:
    settings.ADS_PLAIN_PRICES = True
    ad = makers.ad(makers.campaign(pricing=pricing))
    assert pages.prices_in_redis()[ad.pk].ecpm == QUARTER
    for _ in range(10):
        served = makers.serve()
        makers.see(served)
    serving.record_click(served.ticket, VIEWER)
    serving.record_action(served.ticket, VIEWER)
    assert repricing.to_counts(client.get().hgetall(keys.TYPES()))[f"{pricing}:{event}"] == 1
    another = makers.ad(makers.campaign(pricing=pricing))
    assert pages.prices_in_redis()[another.pk].ecpm == 100 * QUARTER


@pytest.mark.django_db(transaction=True)
def test_a_cpm_ad_keeps_its_price() -> None:
    ad = makers.ad(makers.campaign(pricing="cpm", price_micros=3 * MICROS), words=["tea"])
    see_and_click(["tea"], views=100, clicks=2)
    assert pages.prices_in_redis()[ad.pk] == prices.Prices(3 * MICROS, {"tea": 0})


@pytest.mark.django_db(transaction=True)
def test_prices_change_at_clicks_and_hundredth_views_alone() -> None:
    makers.ad(makers.campaign(views_per_person=1_000))
    due = []
    for number in range(1, 101):
        served = makers.serve()
        due += [number] if serving.record_view(served.ticket, VIEWER).is_due else []
    assert due == [100]
    makers.move_back(served, "seen", milliseconds=600)
    assert serving.record_click(served.ticket, VIEWER).is_due


@pytest.mark.django_db(transaction=True)
def test_an_older_count_does_not_undo_a_newer_price() -> None:
    ad = makers.ad()
    see_and_click([], views=5, clicks=1)
    client.get().hset(keys.COUNTS(ad=ad.pk), "views", 2)
    assert repricing.reprice(ad.pk) is None
    assert repricing.reprice(ad.pk + 1) is None


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_an_edited_ad_keeps_what_its_words_learned(settings: Settings) -> None:
    settings.ADS_PLAIN_PRICES = True
    ad = makers.ad(words=["tea"])
    see_and_click(["tea"], views=40, clicks=2)
    before = pages.prices_in_redis()[ad.pk]
    row = Ad.objects.get()
    row.title_en = "Tea house"
    changes.save_ad(row, locations=[("", "")], words=["tea", "cake"])
    after = pages.prices_in_redis()[ad.pk]
    assert after.ecpm == before.ecpm
    assert after.bonuses == before.bonuses | {"cake": 0}


def test_smoothed_prices_start_at_the_average_and_end_at_the_truth() -> None:
    draw = random.Random(1)
    new = [prices.price_smoothly(QUARTER, Tally(), {}, 0.01, draw).ecpm for _ in range(2_000)]
    assert sum(new) / 2_000 == pytest.approx(2.5 * MICROS, rel=0.15)
    known = prices.price_smoothly(QUARTER, Tally(1_000_000, 30_000), {}, 0.01, draw).ecpm
    assert known == pytest.approx(7.5 * MICROS, rel=0.05)


def test_a_bonus_stays_within_the_ecpm() -> None:
    words = {"good": Tally(1_000, 1_000), "bad": Tally(1_000_000, 0)}
    priced = prices.price_smoothly(QUARTER, Tally(10_000, 100), words, 0.01, random.Random(2))
    assert priced.bonuses["good"] == priced.ecpm
    assert -priced.ecpm <= priced.bonuses["bad"] < 0


def test_more_clicks_than_views_break_nothing() -> None:
    """Counts of a lost Redis can be saved half."""
    assert prices.price_smoothly(QUARTER, Tally(1, 5), {"a": Tally(0, 3)}, 0.01, random.Random(3)).ecpm > 0
    assert prices.plain_ecpm(10**15, Tally(1, 5)) == prices.MAX_ECPM
