from datetime import datetime

import pytest
from django.utils import translation

from apps.shops import opening_hours


@pytest.mark.parametrize(
    ("hours", "at", "expected"),
    [
        ("10:00–22:00", "10:00", True), ("10:00–22:00", "22:00", False), ("10:00 - 22:00", "09:59", False),
        ("18:00–02:00", "01:59", True), ("18:00–02:00", "02:00", False), ("18:00–02:00", "17:00", False),
        ("11:00–14:00, 17:00–21:30", "15:00", False), ("11:00–14:00, 17:00–21:30", "21:29", True),
        ("10:00–24:00", "23:59", True), ("24 hours", "03:00", True), ("by appointment", "12:00", None),
        ("99:99–12:00", "12:00", None), ("", "12:00", None),
    ],
)  # fmt: skip
def test_open_now(hours: str, at: str, expected: bool | None) -> None:
    assert opening_hours.is_open(hours, at=datetime.fromisoformat(f"2026-03-02T{at}")) is expected


@pytest.mark.parametrize(
    ("written", "english", "chinese"),
    [
        ("11:00-14:00, 17:00~21:30", "11:00–14:00, 17:00–21:30", "11:00–14:00、17:00–21:30"),
        ("11:00–14:00、17:00–21:30", "11:00–14:00, 17:00–21:30", "11:00–14:00、17:00–21:30"),
        ("18:00–02:00", "18:00–02:00", "18:00–02:00"),
        ("10:00-24:00", "10:00–24:00", "10:00–24:00"),
        ("24小时", "24 hours", "24小时"),
        ("24/7", "24 hours", "24小时"),
        *[(text, text, text) for text in ("10:00-22:00, closed on Mondays", "by appointment")],
    ],
)
def test_hours_are_written_as_the_language_does(written: str, english: str, chinese: str) -> None:
    with translation.override("en"):
        assert opening_hours.format_hours(written) == english
    with translation.override("zh-hans"):
        assert opening_hours.format_hours(written) == chinese


@pytest.mark.parametrize(
    ("hours", "at", "expected"),
    [
        ("10:00–22:00", "12:00", "Closes at 22:00"), ("10:00–22:00", "09:59", "Opens at 10:00"),
        ("10:00–22:00", "22:00", "Opens tomorrow at 10:00"), ("18:00–02:00", "01:59", "Closes at 02:00"),
        ("11:00–14:00, 17:00–21:30", "15:00", "Opens at 17:00"), ("10:00–24:00", "23:00", "Closes at 24:00"),
        ("24 hours", "03:00", "Open 24 hours"), ("by appointment", "12:00", ""),
    ],
)  # fmt: skip
def test_when_it_closes_or_opens_next(hours: str, at: str, expected: str) -> None:
    assert opening_hours.describe_now(hours, at=datetime.fromisoformat(f"2026-03-02T{at}")) == expected
