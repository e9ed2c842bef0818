"""A text that a row holds in two languages, read in the active one or else the other."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation

from apps.shops.lists import rows
from apps.shops.models import Shop
from apps.web import in_language
from tests.shops import makers

pytestmark = pytest.mark.django_db


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
