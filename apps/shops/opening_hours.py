"""Parses opening hours such as "11:00–14:00, 17:00–22:30" or "24 hours", in either language."""

import re
from datetime import datetime
from functools import lru_cache
from itertools import islice, starmap

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

_SPAN_PATTERN = re.compile(r"(\d{1,2}):(\d{2})\s*[-–~]\s*(\d{1,2}):(\d{2})")
_ALL_DAY = {"24 hours", "24h", "24/7", "24小时", "全天"}
DAY_MINUTES = 24 * 60
#: Breakfast, lunch and dinner: a row has columns for so many, and further ones are not read.
MAX_SPANS = 3


# Cached: a city's shops share a few dozen texts, and a list parses twenty.
@lru_cache(10_000)
def parse_spans(hours: str) -> tuple[tuple[int, int], ...]:
    """The first spans as (opens, closes) in minutes of the day, past midnight over 1440; () if unreadable."""
    if hours.strip().lower() in _ALL_DAY:
        return ((0, DAY_MINUTES),)
    found = [tuple(map(int, span.groups())) for span in _SPAN_PATTERN.finditer(hours)]
    spans = (_span_minutes(*times) for times in found if all(minute < 60 for minute in times[1::2]))
    return tuple(islice(spans, MAX_SPANS))


def format_hours(hours: str) -> str:
    """Hours that are spans alone, in the active language; any other text as it is written."""
    spans = parse_spans(hours)
    if spans == ((0, DAY_MINUTES),):
        return _("24 hours")
    if len(_SPAN_PATTERN.findall(hours)) > MAX_SPANS:
        return hours
    if not spans or _SPAN_PATTERN.sub("", hours).strip(" ,，、;；"):
        return hours
    # Translators: between two spans of opening hours.
    return pgettext("between opening hours", ", ").join(starmap(_format_span, spans))


def span_columns(hours: str) -> dict[str, int | None]:
    """The columns of a shop's row that hold these spans: `opens_1`, `closes_1` and so on."""
    spans = [*parse_spans(hours), *[(None, None)] * MAX_SPANS][:MAX_SPANS]
    return {
        f"{side}_{number}": minute
        for number, span in enumerate(spans, start=1)
        for side, minute in zip(("opens", "closes"), span, strict=True)
    }


def is_open(hours: str, *, at: datetime) -> bool | None:
    """Whether a shop with these hours is open at a local time; None when the hours are unreadable."""
    return _is_open_at_minute(hours, at.hour * 60 + at.minute)


def describe_now(hours: str, *, at: datetime) -> str:
    """When a shop with these hours closes, or opens next: "Closes at 22:00"; "" when they are unreadable."""
    spans, minute = parse_spans(hours), at.hour * 60 + at.minute
    if not spans:
        return ""
    if spans == ((0, DAY_MINUTES),):
        return _("Open 24 hours")
    ends = [end for start, end in spans for now in (minute, minute + DAY_MINUTES) if start <= now < end]
    if ends:
        return _("Closes at %(time)s") % {"time": _format_minute(max(ends))}
    later = [start for start, _end in spans if start > minute]
    time = _format_minute(min(later or [start for start, _end in spans]))
    return (_("Opens at %(time)s") if later else _("Opens tomorrow at %(time)s")) % {"time": time}


@lru_cache(10_000)
def _is_open_at_minute(hours: str, minute: int) -> bool | None:
    known = parse_spans(hours)
    if not known:
        return None
    return any(start <= now < end for start, end in known for now in (minute, minute + DAY_MINUTES))


def _format_span(start: int, end: int) -> str:
    return f"{_format_minute(start)}–{_format_minute(end)}"


def _format_minute(minute: int) -> str:
    """ "24:00" for the end of the day, "02:00" for the next morning's."""
    hour = minute // 60 if minute <= DAY_MINUTES else minute // 60 - 24
    return f"{hour:02}:{minute % 60:02}"


def _span_minutes(start_hour: int, start_minute: int, end_hour: int, end_minute: int) -> tuple[int, int]:
    start, end = start_hour * 60 + start_minute, end_hour * 60 + end_minute
    return start, end if end > start else end + DAY_MINUTES
