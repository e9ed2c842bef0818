"""Words and places are written the same way by ads and by pages."""

import pytest
from django.core.exceptions import ValidationError

from apps.ads import targeting
from apps.ads.models import Ad, Campaign
from apps.redis_kit import schema

PLACE = schema.Key("ads:{ads}:test:<place>", type="set", about="", writer="", expiry="", fields=("place",))


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("  Hot   Pot ", "hot pot"),
        ("ＮＯＯＤＬＥ", "noodle"),
        ("火锅", "火锅"),
        ("\x00", ""),
        ("x" * 99, "x" * 40),
    ],
)
def test_a_word_has_one_form(written: str, word: str) -> None:
    assert targeting.normalize_word(written) == word


def test_a_pages_words_are_different_and_few() -> None:
    words = targeting.normalize_words(["Tea", "tea", "", *map(str, range(50))])
    assert words[:2] == ["tea", "0"]
    assert len(words) == targeting.MAX_PAGE_WORDS


@pytest.mark.parametrize("city", ["", "San José", "上海", "{x}\x00 y", "a/b", "\u2003", "ﷺ" * 50])
def test_a_place_fits_into_a_key(city: str) -> None:
    for place in targeting.page_locations(city, city):
        assert PLACE(place=place)


def test_a_page_belongs_to_its_area_its_city_and_everywhere() -> None:
    assert targeting.page_locations("Shanghai", "Jing'an") == [
        "area:shanghai/jing'an",
        "city:shanghai",
        "everywhere",
    ]
    assert targeting.page_locations() == ["everywhere"]


@pytest.mark.parametrize(("pricing", "cost"), [(Campaign.Pricing.CPC, 250_000), (Campaign.Pricing.CPM, 250)])
def test_a_thousand_views_cost_the_cpm_price(pricing: str, cost: int) -> None:
    assert Campaign(pricing=pricing, price_micros=250_000).cost_micros == cost


def test_a_cpm_price_gives_whole_micros_a_view() -> None:
    with pytest.raises(ValidationError):
        Campaign(pricing=Campaign.Pricing.CPM, price_micros=1_500).clean()


@pytest.mark.parametrize("link", ["javascript:alert(1)", "//elsewhere.example", "/\\elsewhere", "http://x"])
def test_an_ad_leads_to_this_site_or_to_https(link: str) -> None:
    with pytest.raises(ValidationError):
        Ad(title_en="Tea", link=link).clean()


def test_an_ad_without_a_link_leads_to_its_shop() -> None:
    Ad(title_en="Tea", link="/shops/7/").clean()
    with pytest.raises(ValidationError):
        Ad(title_en="Tea").clean()
