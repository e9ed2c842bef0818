"""Parses opening hours such as "11:00–14:00, 17:00–22:30" or "24 hours"."""

import re
from datetime import datetime
from functools import lru_cache

_SPAN_PATTERN = re.compile(r"(\d{1,2}):(\d{2})\s*[-–~]\s*(\d{1,2}):(\d{2})")
DAY_MINUTES = 24 * 60


# Cached: a city's shops share a few dozen texts, and a list parses twenty.
@lru_cache(10_000)
def parse_spans(hours: str) -> tuple[tuple[int, int], ...]:
    """The spans as (opens, closes) in minutes of the day; over 1440 is past midnight; () when unreadable."""
    if hours.strip().lower() in {"24 hours", "24h", "24/7"}:
        return ((0, DAY_MINUTES),)
    found = [tuple(map(int, span.groups())) for span in _SPAN_PATTERN.finditer(hours)]
    return tuple(_span_minutes(*times) for times in found if all(minute < 60 for minute in times[1::2]))


def is_open(hours: str, *, at: datetime) -> bool | None:
    """Whether a shop with these hours is open at a local time; None when the hours are unreadable."""
    return _is_open_at_minute(hours, at.hour * 60 + at.minute)


@lru_cache(10_000)
def _is_open_at_minute(hours: str, minute: int) -> bool | None:
    known = parse_spans(hours)
    if not known:
        return None
    return any(start <= now < end for start, end in known for now in (minute, minute + DAY_MINUTES))


def _span_minutes(start_hour: int, start_minute: int, end_hour: int, end_minute: int) -> tuple[int, int]:
    start, end = start_hour * 60 + start_minute, end_hour * 60 + end_minute
    return start, end if end > start else end + DAY_MINUTES
