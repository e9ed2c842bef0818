"""A text that a row holds in two languages, read in the active one or else the other."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format
from pytest_django.fixtures import Settings

from apps.shops.lists import rows
from apps.shops.models import Shop
from apps.web import in_language
from apps.web.templatetags import languages
from tests.factories import CityFactory, ShopFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db

ENGLISH, CHINESE = {"name_en": "Third Floor", "name_zh": ""}, {"name_en": "", "name_zh": "三楼火锅"}
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("language", "english", "chinese", "expected"),
    [
        ("en", "Third Floor Hot Pot", "三楼火锅", "Third Floor Hot Pot"),
        ("zh-hans", "Third Floor Hot Pot", "三楼火锅", "三楼火锅"),
        ("en", "", "三楼火锅", "三楼火锅"),
        ("zh-hans", "Third Floor Hot Pot", "", "Third Floor Hot Pot"),
        ("zh-hans", "", "", ""),
    ],
)
def test_a_text_is_in_the_active_language_or_else_the_other(
    language: str, english: str, chinese: str, expected: str
) -> None:
    made = makers.shop(english, name_zh=chinese)
    with translation.override(language):
        assert in_language.choose(english, chinese) == expected
        assert Shop.objects.get().name == expected
        assert rows.fetch_listed([made.pk])[made.pk].name == expected


@pytest.mark.both_databases
@pytest.mark.parametrize(("language", "expected"), [("en", ["B", "C", "乙"]), ("zh-hans", ["C", "乙", "甲"])])
def test_rows_are_sorted_by_the_text_that_is_read(language: str, expected: list[str]) -> None:
    for english, chinese in (("B", "甲"), ("", "乙"), ("C", "")):
        makers.shop(english, name_zh=chinese)
    with translation.override(language):
        found = Shop.objects.order_by(in_language.TextOrder("name"))
        assert [shop.name for shop in found] == expected
        backwards = Shop.objects.order_by(in_language.TextOrder("name").desc())
        assert [shop.name for shop in backwards] == expected[::-1]


def test_a_text_is_written_by_its_column() -> None:
    with pytest.raises(AttributeError, match="name_en or name_zh"):
        makers.shop().name = "Nobody knows in which language"


def test_a_text_must_be_there_in_one_language() -> None:
    shop = makers.shop("", name_zh="三楼火锅")
    shop.full_clean()
    shop.name_zh = ""
    with pytest.raises(ValidationError) as caught:
        shop.full_clean()
    assert set(caught.value.message_dict) == {"name_en"}


@pytest.mark.parametrize(
    ("text", "expected"), [("Third Floor", "en"), ("三楼 KTV", "zh-Hans"), ("11:00–22:00", "")]
)
def test_the_script_tells_the_language_of_a_text(text: str, expected: str) -> None:
    assert in_language.language_of(text) == expected


@pytest.mark.parametrize(
    ("line", "english", "chinese"),
    [
        ("Latte 拿铁", "Latte", "拿铁"),
        ("红糖糍粑 Brown sugar cake", "Brown sugar cake", "红糖糍粑"),
        ("Pian'er chuan（片儿川）", "Pian'er chuan（片儿川）", "Pian'er chuan（片儿川）"),
        ("Pian'er chuan (片儿川)", "Pian'er chuan", "片儿川"),
        ("Latte / 拿铁", "Latte", "拿铁"),
        ("XO 酱", "XO 酱", "XO 酱"),
        ("A5 和牛", "A5 和牛", "A5 和牛"),
        ("和牛A5级 steak", "和牛A5级 steak", "和牛A5级 steak"),
        ("Soft egg", "Soft egg", "Soft egg"),
        ("溏心蛋", "溏心蛋", "溏心蛋"),
        ("", "", ""),
    ],
)
def test_of_a_line_in_both_languages_one_part_is_chosen(line: str, english: str, chinese: str) -> None:
    with translation.override("en"):
        assert in_language.choose_part(line) == english
    with translation.override("zh-hans"):
        assert in_language.choose_part(line) == chinese


def set_languages(settings: Settings, *codes: str) -> None:
    settings.LANGUAGES = [(code, code) for code in codes]
    settings.LANGUAGE_CODE = codes[0]


def read_name(client: Client, path: str, accepted: str) -> tuple[str, str, str]:
    """(the page's language, that of its heading if it is marked, the heading).

    Latin letters are unmarked where the page isn't Chinese: they may be of any language.
    """
    html = client.get(path, headers={"accept-language": accepted}).content.decode()
    [page] = re.findall(r'<html[^>]* lang="([^"]+)"', html)
    heading, name = re.findall(r"<h1([^>]*)>\s*(.*?)\s*(?:<|$)", html, re.DOTALL)[0]
    own = re.findall(r'lang="([^"]+)"', heading)
    return page, own[0] if own else page, name


@pytest.mark.parametrize(
    ("languages", "texts", "expected"),
    [
        (["en"], CHINESE, ("en", "zh-Hans", "三楼火锅")),
        (["zh-hans"], ENGLISH, ("zh-hans", "en", "Third Floor")),
        (["ja", "en"], {"name_en": "Third Floor", "name_zh": "三楼火锅"}, ("ja", "ja", "Third Floor")),
        (["ja"], CHINESE, ("ja", "zh-Hans", "三楼火锅")),
    ],
)
def test_a_row_without_the_sites_language_is_read_in_the_other(
    client: Client, settings: Settings, languages: list[str], texts: dict[str, str], expected: tuple[str, ...]
) -> None:
    set_languages(settings, *languages)
    shop = ShopFactory.create(**texts)
    assert read_name(client, f"/shops/{shop.pk}/", "ja,zh-hans,en") == expected


def test_a_third_language_takes_text_by_text_what_it_has(client: Client, settings: Settings) -> None:
    """Django has Japanese words for its own; the repository's are English, those of rows too."""
    set_languages(settings, "ja", "en")
    CityFactory.create()
    html = client.get("/login/", headers={"accept-language": "ja"}).content.decode()
    assert 'lang="ja"' in html
    assert "Log in" in html
    assert "検索" in html
    refused = client.post("/login/", {"phone": ""}, headers={"accept-language": "ja"}).content.decode()
    assert re.search("[\u3040-\u30ff]", refused)


@pytest.mark.parametrize(
    ("ago", "english", "chinese"),
    [
        (timedelta(seconds=59), "just now", "刚刚"),
        (timedelta(minutes=1), "1 minute ago", "1分钟前"),
        (timedelta(hours=3, minutes=20), "3 hours ago", "3小时前"),
        (timedelta(days=13, hours=5), "1 week ago", "1周前"),
        (timedelta(days=800), "2 years ago", "2年前"),
        (-timedelta(seconds=59), "in a moment", "马上"),
        (-timedelta(days=2, hours=5), "in 2 days", "2天后"),
    ],
)
def test_an_age_has_one_unit(ago: timedelta, english: str, chinese: str) -> None:
    with time_machine.travel(NOW, tick=False):
        with translation.override("en"):
            assert languages.age(NOW - ago) == english
        with translation.override("zh-hans"):
            assert languages.age(NOW - ago) == chinese


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["23 Nov 2026", "23 Nov 2026, 12:00", "23 Nov, 12:00", "23 Nov", "November 2026"]),
        (
            "zh-hans",
            ["2026年11月23日", "2026年11月23日 12:00", "11月23日 12:00", "11月23日", "2026年11月"],
        ),
    ],
)
def test_a_language_has_one_form_of_dates(language: str, expected: list[str]) -> None:
    names = ["DATE", "DATETIME", "SHORT_DATETIME", "MONTH_DAY", "YEAR_MONTH"]
    with translation.override(language):
        assert [date_format(NOW, f"{name}_FORMAT") for name in names] == expected


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("en", "Third Floor", ""),
        ("en", "三楼火锅", 'lang="zh-Hans"'),
        ("zh-hans", "三楼火锅", ""),
        ("zh-hans", "Third Floor", 'lang="en"'),
        ("zh-hans", "11:00–22:00", ""),
    ],
)
def test_a_text_in_another_language_than_the_page_says_so(page: str, text: str, expected: str) -> None:
    with translation.override(page):
        assert languages.lang(text) == expected
