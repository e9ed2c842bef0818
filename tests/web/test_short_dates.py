"""Short dates: the year stands wherever it is not this one."""

import re
from datetime import UTC, date, datetime

import pytest
import time_machine
from django.template import Context, Template
from django.utils import translation

from apps.web import short_dates
from tests.checks import sources

#: Shanghai's clock, the site's, is in the year 2027 already.
NEW_YEAR = datetime(2026, 12, 31, 17, tzinfo=UTC)
FORMATS_OF_THIS_YEAR = re.compile("SHORT_DATETIME_FORMAT|MONTH_DAY_FORMAT")
TEMPLATE = Template("{% load languages %}{{ at|short_moment }} / {{ at|short_day }}")


@pytest.mark.parametrize(
    ("at", "english", "chinese"),
    [
        (datetime(2026, 12, 31, 16, tzinfo=UTC), "1 Jan, 00:00 / 1 Jan", "1月1日 00:00 / 1月1日"),
        (
            datetime(2026, 12, 31, 15, 59, tzinfo=UTC),
            "31 Dec 2026, 23:59 / 31 Dec 2026",
            "2026年12月31日 23:59 / 2026年12月31日",
        ),
        (
            datetime(2028, 2, 29, 4, tzinfo=UTC),
            "29 Feb 2028, 12:00 / 29 Feb 2028",
            "2028年2月29日 12:00 / 2028年2月29日",
        ),
        (None, " / ", " / "),
    ],
)
def test_the_year_stands_where_it_is_not_this_one(at: datetime | None, english: str, chinese: str) -> None:
    with time_machine.travel(NEW_YEAR, tick=False):
        for language, expected in [("en", english), ("zh-hans", chinese)]:
            with translation.override(language):
                assert TEMPLATE.render(Context({"at": at})) == expected


def test_a_day_without_a_time_has_its_year_too() -> None:
    with time_machine.travel(NEW_YEAR, tick=False):
        days = [date(2026, 12, 31), date(2027, 1, 1)]
        assert [short_dates.short_day(day) for day in days] == ["31 Dec 2026", "1 Jan"]


@pytest.mark.parametrize(
    ("until", "english", "chinese"),
    [
        (
            datetime(2027, 12, 31, 16, tzinfo=UTC),
            "31 Dec 2027 / 31 Dec 2027",
            "2027年12月31日 / 2027年12月31日",
        ),
        (
            datetime(2027, 12, 31, 10, 30, tzinfo=UTC),
            "31 Dec 2027, 18:30 / 31 Dec 2027",
            "2027年12月31日 18:30 / 2027年12月31日",
        ),
        (None, " / ", " / "),
    ],
)
def test_what_lasts_to_the_end_of_a_day_says_that_day(
    until: datetime | None, english: str, chinese: str
) -> None:
    template = Template("{% load languages %}{{ until|last_moment }} / {{ until|last_day }}")
    for language, expected in [("en", english), ("zh-hans", chinese)]:
        with translation.override(language):
            assert template.render(Context({"until": until})) == expected


def test_no_page_and_no_code_leaves_the_year_out_by_itself() -> None:
    files = [*sources.files("*.html", "templates", "apps"), *sources.files("*.py", "apps")]
    found = [sources.display_path(path) for path in files if FORMATS_OF_THIS_YEAR.search(sources.text(path))]
    assert found == ["apps/web/short_dates.py"]
