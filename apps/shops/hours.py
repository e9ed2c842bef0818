"""Opening hours as a value: the week, public holidays, exceptions by date; what they say of a moment.

    schedule = hours.load("Mo-Fr 09:00-18:00; Sa 18:00-26:00; PH off; 2027-01-01 12:00-16:00")
    schedule.spans_on(date(2027, 1, 1), calendar)    ((720, 960),)
    hours.read_state(schedule, calendar, at=now)     State(is_open=True, closes=2027-01-01 16:00, opens=None)

Times are those of the wall clock in the shop's city. A span belongs to the day on which it begins and may end
on the next one. An hour that the clock shows twice counts once: what closes in it closes the first time.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

DAY_MINUTES = 1_440
#: As OpenStreetMap writes the days of a week, from Monday on.
DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
#: The last day of what is closed until further notice.
FOREVER = date.max
#: Days ahead among which the next opening is looked for: what is closed longer says no day.
MAX_DAYS_AHEAD = 400
MAX_SPANS_A_DAY, MAX_EXCEPTIONS, MAX_HOLIDAY_DAYS = 12, 100, 31
ONE_DAY = timedelta(days=1)
#: Stands among the bits of weekdays for public holidays.
HOLIDAYS = 1 << 7

#: Opens and closes, in minutes of the day on which it opens; past midnight over 1440.
Span = tuple[int, int]
Spans = tuple[Span, ...]
ALL_DAY: Spans = ((0, DAY_MINUTES),)


class BadSpans(ValueError):
    """Hours that no day has, or more spans of a day than a row takes."""


class SpecialDays(NamedTuple):
    """Days from `first` to `last` with hours of their own; without spans they are closed."""

    first: date
    last: date
    spans: Spans = ()

    @property
    def is_until_further_notice(self) -> bool:
        return self.last == FOREVER


@dataclass(frozen=True)
class Calendar:
    """A city's clock, and its public holidays."""

    zone: ZoneInfo
    holidays: frozenset[date] = frozenset()


@dataclass(frozen=True)
class Schedule:
    """Spans by weekday from Monday on; of public holidays, None where they are like other days.

    Exceptions are in the order of their days and don't overlap; build them with `with_exceptions`.
    """

    week: tuple[Spans, ...] = ((),) * 7
    holidays: Spans | None = None
    exceptions: tuple[SpecialDays, ...] = ()

    def spans_on(self, day: date, calendar: Calendar) -> Spans:
        """The spans that begin on a day: of an exception, of a public holiday, or else of the weekday."""
        special = next((one for one in self.exceptions if one.first <= day <= one.last), None)
        if special:
            return special.spans
        if self.holidays is not None and day in calendar.holidays:
            return self.holidays
        return self.week[day.weekday()]

    def with_exceptions(self, exceptions: Iterable[SpecialDays]) -> "Schedule":
        """The same week with these exceptions; of two for one day the later in the list counts."""
        kept: list[SpecialDays] = []
        for new in exceptions:
            if new.first > new.last:
                raise BadSpans
            kept = [part for old in kept for part in _without_days(old, new)] + [new]
        return replace(self, exceptions=tuple(sorted(kept)))

    @property
    def is_always_open(self) -> bool:
        """Whether it never closes, on no day."""
        return all(spans == ALL_DAY for spans in self.week) and not self.exceptions and self.holidays is None


class State(NamedTuple):
    """What hours say of a moment: open or not, None when they are unknown; and when that changes.

    Wall time; `closes` is None for a shop that doesn't close within MAX_DAYS_AHEAD, `opens` for one that
    isn't known to open.
    """

    is_open: bool | None
    today: date
    closes: datetime | None = None
    opens: datetime | None = None


def normalize_spans(spans: Iterable[Span]) -> Spans:
    """The spans of a day in order, touching ones as one up to a day; BadSpans for longer or too many ones."""
    joined: list[Span] = []
    for opens, closes in sorted(spans):
        if not 0 <= opens < DAY_MINUTES or not opens < closes <= opens + DAY_MINUTES:
            raise BadSpans
        if joined and opens <= joined[-1][1] and closes - joined[-1][0] <= DAY_MINUTES:
            joined[-1] = joined[-1][0], max(closes, joined[-1][1])
        else:
            joined.append((opens, closes))
    if len(joined) > MAX_SPANS_A_DAY:
        raise BadSpans
    return tuple(joined)


def make_span(opens: int, closes: int) -> Span:
    """A span of two times of the clock: one that ends before it begins ends on the next day."""
    return (opens, closes) if closes > opens else (opens, closes + DAY_MINUTES)


def find_wall_time(at: datetime, zone: ZoneInfo) -> tuple[date, int]:
    """Day and minute that a clock in this zone shows; in an hour's second run, its last minute."""
    return _find_wall_minute(int(at.timestamp()) // 60, zone)


def is_open_at(schedule: Schedule, calendar: Calendar, day: date, minute: int) -> bool:
    """Whether a span of this day or of the day before holds a minute of the wall clock."""
    yesterday = day - ONE_DAY
    return any(opens <= minute < closes for opens, closes in schedule.spans_on(day, calendar)) or any(
        closes > minute + DAY_MINUTES for _opens, closes in schedule.spans_on(yesterday, calendar)
    )


def read_state(schedule: Schedule | None, calendar: Calendar, *, at: datetime) -> State:
    """Whether a shop is open at a moment, and when it closes or opens next."""
    day, minute = find_wall_time(at, calendar.zone)
    if schedule is None:
        return State(None, day)
    now = datetime.combine(day, datetime.min.time()) + timedelta(minutes=minute)
    for opens, closes in _iter_openings(schedule, calendar, day):
        if closes > now:
            if opens > now:
                return State(False, day, opens=opens)
            has_end = closes - now < timedelta(days=MAX_DAYS_AHEAD)
            return State(True, day, closes=closes if has_end else None)
    return State(False, day)


def find_instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first moment at which a clock in the zone shows this time or a later one."""
    local = wall.replace(tzinfo=zone, fold=0)
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == wall:
        return moment
    # The clock skips it: its next minute that is shown.
    return find_instant(wall + timedelta(minutes=1), zone)


def _iter_openings(schedule: Schedule, calendar: Calendar, day: date) -> Iterator[tuple[datetime, datetime]]:
    """(opens, closes) by the wall clock from the day before `day` on; spans that touch are one opening."""
    opening: tuple[datetime, datetime] | None = None
    for ahead in range(-1, MAX_DAYS_AHEAD + 1):
        one = day + ahead * ONE_DAY
        midnight = datetime.combine(one, datetime.min.time())
        for begin, end in schedule.spans_on(one, calendar):
            opens, closes = midnight + timedelta(minutes=begin), midnight + timedelta(minutes=end)
            if opening and opens <= opening[1]:
                opening = opening[0], max(closes, opening[1])
                continue
            if opening:
                yield opening
            opening = opens, closes
        if schedule.is_always_open and ahead == 1:
            yield datetime.combine(day - ONE_DAY, datetime.min.time()), datetime.max
            return
    if opening:
        yield opening


# One hour of a year is shown twice; a minute is asked for again and again.
@lru_cache(1_000)
def _find_wall_minute(minute: int, zone: ZoneInfo) -> tuple[date, int]:
    local = datetime.fromtimestamp(minute * 60, zone)
    wall = local.replace(tzinfo=None)
    if local.fold:
        while _is_shown_twice(wall + timedelta(minutes=1), zone):
            wall += timedelta(minutes=1)
    return wall.date(), wall.hour * 60 + wall.minute


def _is_shown_twice(wall: datetime, zone: ZoneInfo) -> bool:
    first, second = (wall.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first is not None and second is not None and first > second


def _without_days(old: SpecialDays, new: SpecialDays) -> Iterator[SpecialDays]:
    """What is left of exceptional days beside the days of a newer exception."""
    if new.first > old.last or new.last < old.first:
        yield old
        return
    if old.first < new.first:
        yield old._replace(last=new.first - ONE_DAY)
    if old.last > new.last:
        yield old._replace(first=new.last + ONE_DAY)


# --- Text that is stored: a part of OpenStreetMap's `opening_hours`, with dates as ISO 8601 writes them.

_RULE_PATTERN = re.compile(
    r"(?:(?P<days>[A-Z][a-z](?:[-,][A-Z][a-z])*)|(?P<ph>PH)|(?P<first>\d{4}-\d\d-\d\d)(?P<plus>\+)?"
    r"(?:\.\.(?P<last>\d{4}-\d\d-\d\d))?) (?P<spans>off|[\d:,-]+)"
)


_HOLIDAY_PATTERN = re.compile(
    r"(?P<first>\d{4}-\d\d-\d\d)(?:\s*(?:\.\.|–|至|\s)\s*(?P<last>\d{4}-\d\d-\d\d))?(?:\s+.*)?"
)
_HOLIDAY_ERROR = _("“%(line).60s” is no day, such as “2026-10-01 2026-10-07 National Day”.")


class FlatSpan(NamedTuple):
    """A span as a row: `days` are bits from Monday on, HOLIDAYS, or 0 for days from `first` to `last`.

    Special days that are closed have one without minutes.
    """

    days: int
    opens: int | None
    closes: int | None
    first: date | None = None
    last: date | None = None


def flatten(schedule: Schedule | None) -> list[FlatSpan]:
    """All spans of a schedule as rows; none where the hours are unknown."""
    if schedule is None:
        return []
    rows = [
        FlatSpan(sum(1 << day for day in days), *span)
        for days, spans in group_days(schedule.week)
        for span in spans
    ]
    special: list[tuple[int, Spans, date | None, date | None]] = [
        (0, one.spans, one.first, one.last) for one in schedule.exceptions
    ]
    if schedule.holidays is not None:
        special.append((HOLIDAYS, schedule.holidays, None, None))
    for days, spans, first, last in special:
        pairs: list[tuple[int | None, int | None]] = [*spans] or [(None, None)]
        rows += [FlatSpan(days, opens, closes, first, last) for opens, closes in pairs]
    return rows


def dump(schedule: Schedule) -> str:
    """The text of a schedule that a row holds; `load` reads it back."""
    rules = [f"{_dump_days(days)} {_dump_spans(spans)}" for days, spans in group_days(schedule.week)]
    if schedule.holidays is not None:
        rules.append(f"PH {_dump_spans(schedule.holidays)}")
    for one in schedule.exceptions:
        days = one.first.isoformat()
        if one.is_until_further_notice:
            days += "+"
        elif one.last != one.first:
            days += f"..{one.last.isoformat()}"
        rules.append(f"{days} {_dump_spans(one.spans)}")
    return "; ".join(rules)


# A city's shops share a few hundred texts, and a list reads twenty.
@lru_cache(20_000)
def load(text: str) -> Schedule | None:
    """The schedule of a stored text; None for "", unknown hours, and for a text that `dump` didn't write."""
    if not text:
        return None
    week: list[Spans] = [()] * 7
    holidays: Spans | None = None
    exceptions = list[SpecialDays]()
    try:
        for rule in text.split("; "):
            found = _RULE_PATTERN.fullmatch(rule)
            if not found:
                return None
            spans = _load_spans(found["spans"])
            if found["days"]:
                for day in _load_days(found["days"]):
                    week[day] = spans
            elif found["ph"]:
                holidays = spans
            else:
                first = date.fromisoformat(found["first"])
                last = FOREVER if found["plus"] else date.fromisoformat(found["last"] or found["first"])
                exceptions.append(SpecialDays(first, last, spans))
        return Schedule(tuple(week), holidays).with_exceptions(exceptions)
    except ValueError:
        return None


def validate_zone(name: str) -> None:
    """Raise ValidationError for a time zone that isn't there."""
    if name and name not in available_timezones():
        raise ValidationError(_("There is no such time zone; write one such as Asia/Shanghai."))


def validate_holidays(text: str) -> None:
    """Raise ValidationError with the first line that is no holiday."""
    for line in filter(None, map(str.strip, text.splitlines())):
        try:
            is_day = bool(load_holidays(line))
        except ValueError:
            is_day = False
        if not is_day:
            raise ValidationError(_HOLIDAY_ERROR, params={"line": line})


@lru_cache(500)
def load_holidays(text: str) -> frozenset[date]:
    """The days of a city's list: a line each, "2026-10-01 2026-10-07 National Day"."""
    days = set[date]()
    for found in map(_HOLIDAY_PATTERN.fullmatch, map(str.strip, text.splitlines())):
        if found:
            first = date.fromisoformat(found["first"])
            last = date.fromisoformat(found["last"] or found["first"])
            if not first <= last <= first + MAX_HOLIDAY_DAYS * ONE_DAY:
                raise ValueError(found[0])
            days |= {first + number * ONE_DAY for number in range((last - first).days + 1)}
    return frozenset(days)


@lru_cache(500)
def build_calendar(zone: str, holidays: str) -> Calendar:
    """The calendar of a time zone and a list of holidays."""
    return Calendar(ZoneInfo(zone), load_holidays(holidays))


def group_days(week: Sequence[Spans]) -> list[tuple[tuple[int, ...], Spans]]:
    """Weekdays (Monday is 0) by what they have in common, in the order of their first."""
    by_spans: dict[Spans, list[int]] = {}
    for day, spans in enumerate(week):
        by_spans.setdefault(spans, []).append(day)
    return [(tuple(days), spans) for spans, days in by_spans.items()]


def find_runs(days: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of days in a row: (0, 1, 2, 5) are (0, 2) and (5, 5)."""
    runs: list[tuple[int, int]] = []
    for day in days:
        if runs and runs[-1][1] == day - 1:
            runs[-1] = runs[-1][0], day
        else:
            runs.append((day, day))
    return runs


def format_minute(minute: int) -> str:
    """ "24:00" for the end of the day, "02:00" for the next morning's."""
    hour = minute // 60 if minute <= DAY_MINUTES else minute // 60 - 24
    return f"{hour:02}:{minute % 60:02}"


def _dump_spans(spans: Spans) -> str:
    times = (f"{dump_minute(opens)}-{dump_minute(closes)}" for opens, closes in spans)
    return ",".join(times) or "off"


def dump_minute(minute: int) -> str:
    """ "26:00" for two in the next morning."""
    return f"{minute // 60:02}:{minute % 60:02}"


def _dump_days(days: Sequence[int]) -> str:
    runs = (
        DAYS[first] if first == last else f"{DAYS[first]}-{DAYS[last]}" for first, last in find_runs(days)
    )
    return ",".join(runs)


def _load_spans(text: str) -> Spans:
    if text == "off":
        return ()
    spans = []
    for one in text.split(","):
        opens, closes = one.split("-")
        spans.append((load_minute(opens), load_minute(closes)))
    return normalize_spans(spans)


def load_minute(text: str) -> int:
    """The minute of a time such as "26:00"; BadSpans for one with more than 59 minutes."""
    hour, minute = map(int, text.split(":"))
    if minute > 59:
        raise BadSpans
    return hour * 60 + minute


def _load_days(text: str) -> Iterator[int]:
    for run in text.split(","):
        first, _, last = run.partition("-")
        yield from range(DAYS.index(first), DAYS.index(last or first) + 1)
