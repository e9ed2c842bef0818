"""Numbers and days of files: each way to write one is read as it is meant, or refused with both readings."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from apps.imports import values
from apps.web import days

COMMA, SEMICOLON, TAB, WORKBOOK = ",", ";", "\t", ""
#: As a price has.
MONEY = {"decimals": 2, "most": 1_000_000}
DEGREES = {"decimals": 15, "most": 180}
NEW_YEARS_EVE = date(2027, 12, 31)


@pytest.mark.parametrize("delimiter", [COMMA, SEMICOLON, TAB, WORKBOOK])
@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("88", "88"), ("0,99", "0.99"), ("9,90", "9.90"), ("12,50", "12.50"), ("12.5", "12.5"),
        ("1250,5", "1250.5"),
        ("1.250,00", "1250"), ("1,250.00", "1250"), ("1.250.000", "1250000"), ("1,250,000.5", "1250000.5"),
        ("1 250,50", "1250.5"), ("1\u202f250", "1250"), ("1'250.50", "1250.5"), ("1’250", "1250"),
        ("12,50,000", "1250000"), ("0,125", "0.125"), ("0.125", "0.125"), ("1250,999", "1250.999"),
        ("-3", "-3"),
        ("1,2500", "1.25"), ("１２，５０", "12.5"), ("١٢٫٥", "12.5"), ("12。50", "12.5"),  # noqa: RUF001
    ],
)  # fmt: skip
def test_a_number_is_read_the_same_in_each_file(delimiter: str, written: str, number: str) -> None:
    assert values.read_number(written, delimiter, decimals=3, most=10_000_000) == Decimal(number)


@pytest.mark.parametrize(
    ("written", "delimiter", "number"),
    [("1,250", COMMA, "1250"), ("1.250", COMMA, "1.25"), ("125,255", COMMA, "125255")],
)
def test_beside_commas_a_point_parts_decimals(written: str, delimiter: str, number: str) -> None:
    assert values.read_number(written, delimiter, **MONEY) == Decimal(number)


@pytest.mark.parametrize("delimiter", [SEMICOLON, TAB, WORKBOOK])
@pytest.mark.parametrize("written", ["1,250", "1.250", "12,505", "999.999"])
def test_what_may_be_two_numbers_is_refused_with_both(delimiter: str, written: str) -> None:
    with pytest.raises(ValueError, match="may be") as raised:
        values.read_number(written, delimiter, **MONEY)
    digits = written.replace(",", ".")
    assert {digits, digits.replace(".", "")} <= set(str(raised.value).replace(". Write", " ").split())


@pytest.mark.parametrize("delimiter", [COMMA, SEMICOLON, TAB, WORKBOOK])
@pytest.mark.parametrize("written", ["30.259", "30,259", "120,148"])
def test_a_column_that_has_no_thousands_has_one_reading(delimiter: str, written: str) -> None:
    assert values.read_number(written, delimiter, **DEGREES) == Decimal(written.replace(",", "."))
    whole = values.read_number(written, delimiter, decimals=0, most=10**6)
    assert whole == Decimal(written.replace(",", "").replace(".", ""))


@pytest.mark.parametrize(
    "written",
    ["", "-", ",", "1,", ".", "1,25,0", "1.25.00", "12,3456,789", "1e3", "nan", "inf", "1 2", "12 50",
     "0,125,000",
     "1,250.5,0", "²", "twelve", "1" * 50, "0x10", "1_000"],
)  # fmt: skip
def test_what_is_no_number_is_none(written: str) -> None:
    for delimiter in (COMMA, SEMICOLON, TAB, WORKBOOK):
        assert values.read_number(written, delimiter, **MONEY) is None


@given(st.floats(min_value=-180, max_value=180, allow_nan=False))
def test_a_workbook_s_own_number_is_itself(number: float) -> None:
    written = values.write_number(number)
    assert values.read_number(written, WORKBOOK, **DEGREES) == pytest.approx(Decimal(f"{number:.15g}"))


@given(
    st.decimals(min_value=0, max_value=999_999, places=2),
    st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", "."), ("\u202f", ","), ("", ","), ("", ".")]),
    st.sampled_from([COMMA, SEMICOLON, TAB, WORKBOOK]),
)
def test_an_amount_with_all_its_cents_has_one_reading(
    amount: Decimal, signs: tuple[str, str], delimiter: str
) -> None:
    thousands, decimal = signs
    written = (
        f"{amount:,.2f}".replace(",", "t").replace(".", "d").replace("t", thousands).replace("d", decimal)
    )
    assert values.read_number(written, delimiter, **MONEY) == amount


@pytest.mark.parametrize(
    "written",
    [
        "2027-12-31", "2027/12/31", "2027.12.31", "2027年12月31日", "2027 年 12 月 31 日", "20271231",
        "２０２７／１２／３１",  # noqa: RUF001
        "2027/12/31 0:00", "2027-12-31 00:00:00", "2027-12-31T00:00", "2027-12-31 23:59",
        "2027/12/31 23:59:59",
        "2027-12-31 24:00", "31.12.2027", "31/12/2027", "12/31/2027", "31-12-2027", "31 Dec 2027",
        "Dec 31, 2027",
        "31-Dec-2027", "December 31st 2027", "12/31/2027 12:00:00 AM", "\u200e2027-12-31",
    ],
)  # fmt: skip
def test_a_day_is_meant_to_its_end(written: str) -> None:
    end = values.read_end(written)
    assert end == datetime(2027, 12, 31, 16, tzinfo=UTC)
    assert end - timedelta(microseconds=1) < days.end_of_day(NEW_YEARS_EVE) <= end
    assert values.write_end(end) == "2027-12-31"


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2027-12-31 18:30", datetime(2027, 12, 31, 10, 30, tzinfo=UTC)),
        ("2027年12月31日 18:30", datetime(2027, 12, 31, 10, 30, tzinfo=UTC)),
        ("31/12/2027 6:30 pm", datetime(2027, 12, 31, 10, 30, tzinfo=UTC)),
        ("2027-12-31T18:30:15+09:00", datetime(2027, 12, 31, 9, 30, 15, tzinfo=UTC)),
        ("2027-12-31T00:00Z", datetime(2027, 12, 31, tzinfo=UTC)),
        ("2027-12-31 18:30:00.250000", datetime(2027, 12, 31, 10, 30, 0, 250_000, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_a_time_of_a_day_is_that_moment(written: str, moment: datetime) -> None:
    assert values.read_end(written) == moment


def test_a_day_that_may_be_two_is_refused_with_both() -> None:
    with pytest.raises(ValueError, match="2027-06-05 or 2027-05-06"):
        values.read_end("05/06/2027")
    assert values.write_end(values.read_end("05/05/2027")) == "2027-05-05"
    assert values.write_end(values.read_end("05.06.2027")) == "2027-06-05"


@pytest.mark.parametrize(
    "written",
    ["soon", "2027-02-30", "2027-13-01", "31/31/2027", "2027-12-31 25:00", "2027-12-31 10:61", "9999-12-31",
     "46752",
     "2027-12-31 at noon", "2027-12-311", "31 Foo 2027", "2027/12-31"],
)  # fmt: skip
def test_what_is_no_day_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is no day"):
        values.read_end(written)


@given(st.datetimes(min_value=datetime(2027, 1, 1), max_value=datetime(2100, 1, 1)))
def test_what_is_written_is_read_as_the_same_moment(at: datetime) -> None:
    moment = days.to_end(timezone.make_aware(at))
    assert values.read_end(values.write_end(moment)) == moment


@time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Shanghai"])
def test_a_day_of_another_length_ends_at_midnight(zone: str) -> None:
    with timezone.override(zone):
        for day in (date(2027, 3, 28), date(2027, 10, 31), date(2027, 3, 14)):
            end = timezone.localtime(days.end_of_day(day))
            assert (end.date(), end.hour, days.last_day(end)) == (day + timedelta(days=1), 0, day)
