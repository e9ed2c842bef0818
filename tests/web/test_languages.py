"""Template filters for texts and times in the reader's language."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import translation
from django.utils.formats import date_format

from apps.web.templatetags import languages

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


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
