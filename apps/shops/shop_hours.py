"""When shops are open: the hours of their rows by the clock and the holidays of their cities.

    shop_hours.read_state(shop, at=timezone.now())    State(is_open=False, opens=2026-12-01 10:30, …)
    shop_hours.describe(state)                        "Closed · opens Tue 10:30"
    shop_hours.format_line(shop)                      "Mon–Sat 09:00–22:00; Sun closed"

Pages, lists, the API, search and search engines get all that they say of hours here; `open_condition` asks
SQL the same question, and `encode`, with `moments_for_redis`, Redis.
"""

import time
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Any, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from apps.shops import hours, hours_text
from apps.shops.hours import ALL_DAY, Calendar, Schedule, Spans, SpecialDays, State
from apps.shops.models import City, OpenSpan, Shop
from apps.web import in_language

#: Seconds after which a process reads the cities again: another process may have written them.
FRESH_SECONDS = 5.0
#: Days ahead of which a page tells exceptions and holidays.
SHOWN_DAYS = 60
DAY_NAMES = (
    pgettext_lazy("short", "Mon"), pgettext_lazy("short", "Tue"), pgettext_lazy("short", "Wed"),
    pgettext_lazy("short", "Thu"), pgettext_lazy("short", "Fri"), pgettext_lazy("short", "Sat"),
    pgettext_lazy("short", "Sun"),
)  # fmt: skip
FULL_DAY_NAMES = (
    gettext_lazy("Monday"), gettext_lazy("Tuesday"), gettext_lazy("Wednesday"), gettext_lazy("Thursday"),
    gettext_lazy("Friday"), gettext_lazy("Saturday"), gettext_lazy("Sunday"),
)  # fmt: skip


class HasHours(Protocol):
    """A row with the hours of a shop: Shop, or a row of a list."""

    @property
    def schedule(self) -> str: ...
    @property
    def nearest_city_id(self) -> int | None: ...


class DayRow(NamedTuple):
    """A line of a table of hours: a day or some, and its spans as text."""

    label: str
    text: str
    is_today: bool = False
    is_closed: bool = False


class Opening(NamedTuple):
    """A shop's hours for a page: now, the week, what differs soon; in the shop's words without a schedule."""

    state: State
    now: str
    line: str
    week: list[DayRow]
    special: list[DayRow]


class _Copy(NamedTuple):
    calendars: Mapping[int, Calendar]
    read_at: float


_copy: _Copy | None = None


def keep_calendars(rows: Iterable[City]) -> None:
    """Remember the clocks and holidays of all cities that a query has just read."""
    global _copy
    _copy = _Copy({city.pk: city.calendar for city in rows}, time.monotonic())


def forget() -> None:
    """Have the next reader in this process ask SQL."""
    global _copy
    _copy = None


def find_calendar(city_id: int | None) -> Calendar:
    """The clock and the holidays of a city; the site's clock for a shop of none."""
    return _read_calendars().get(city_id or 0) or Calendar(ZoneInfo(settings.TIME_ZONE))


def read_state(row: HasHours, *, at: datetime | None = None) -> State:
    """Whether a shop is open at a moment, now without one, and when that changes."""
    calendar = find_calendar(row.nearest_city_id)
    return hours.read_state(hours.load(row.schedule), calendar, at=at or timezone.now())


def describe(state: State) -> str:
    """ "Open · closes 22:00", "Closed · opens Tue 10:30"; "Hours unknown" without a schedule."""
    if state.is_open is None:
        return _("Hours unknown")
    if state.is_open:
        if state.closes is None:
            return _("Open 24 hours")
        return _("Open · closes %(time)s") % {"time": _format_moment(state.closes, state.today, is_end=True)}
    if state.opens is None:
        return _("Closed until further notice")
    return _("Closed · opens %(time)s") % {"time": _format_moment(state.opens, state.today)}


def describe_opening(state: State) -> str:
    """When a closed shop opens, for a card: "Opens 10:30"; "" for one that isn't known to be closed."""
    if state.is_open is not False:
        return ""
    if state.opens is None:
        return _("Closed now")
    return _("Opens %(time)s") % {"time": _format_moment(state.opens, state.today)}


def format_opening(state: State) -> str:
    """ "Tue 10:30", when a closed shop opens; "" where that isn't known."""
    return _format_moment(state.opens, state.today) if state.opens else ""


def format_line(row: Any) -> str:
    """The hours of a week in a line, in the active language; the shop's own words without a schedule."""
    schedule = hours.load(row.schedule)
    if schedule is None:
        return in_language.choose(row.hours_en, row.hours_zh)
    return format_week(schedule)


def describe_doubt(row: Any) -> str:
    """A sentence for whoever writes hours in words that aren't understood; "" where they are."""
    words = [text for text in (row.hours_en, row.hours_zh) if text]
    if not words or hours_text.read_all(words):
        return ""
    sentence = _("“%(words)s” isn't understood. People read the words, and the shop is never “open now”.")
    return sentence % {"words": " / ".join(words)}


def format_week(schedule: Schedule) -> str:
    """ "Mon–Sat 09:00–22:00; Sun closed"; days in a row with the same hours are named together."""
    parts = [_join_days(_format_days(first, last), spans) for first, last, spans in _iter_runs(schedule.week)]
    if schedule.holidays is not None:
        parts.append(_join_days(_("public holidays"), schedule.holidays))
    # Translators: between the hours of some days and those of others.
    return pgettext("between days of opening hours", "; ").join(parts)


def build_week(schedule: Schedule, today: date) -> list[DayRow]:
    """The seven days from Monday on; that of `today` is marked."""
    return [
        DayRow(str(FULL_DAY_NAMES[day]), _format_spans(spans), day == today.weekday(), not spans)
        for day, spans in enumerate(schedule.week)
    ]


def build_special_days(schedule: Schedule, calendar: Calendar, today: date) -> list[DayRow]:
    """What differs from the week soon: exceptions, and public holidays with hours of their own."""
    until = today + timedelta(days=SHOWN_DAYS)
    special = [one for one in schedule.exceptions if one.last >= today and one.first <= until]
    if schedule.holidays is not None:
        days = sorted(day for day in calendar.holidays if today <= day <= until)
        covered = [one for one in days if not any(part.first <= one <= part.last for part in special)]
        special += [SpecialDays(day, day, schedule.holidays) for day in covered]
    return [
        DayRow(format_dates(one), _format_spans(one.spans), one.first <= today <= one.last, not one.spans)
        for one in sorted(special)
    ]


def build_opening(row: Any) -> Opening:
    """The hours of a shop as its page shows them."""
    schedule, calendar = hours.load(row.schedule), find_calendar(row.nearest_city_id)
    state = hours.read_state(schedule, calendar, at=timezone.now())
    return Opening(
        state,
        describe(state),
        format_line(row),
        build_week(schedule, state.today) if schedule else [],
        build_special_days(schedule, calendar, state.today) if schedule else [],
    )


def format_dates(one: SpecialDays) -> str:
    """ "1 Jan 2027", "5 to 12 Feb": the days of an exception."""
    pattern = pgettext("date of an exception", "j M Y")
    first = format_date(one.first, pattern)
    if one.is_until_further_notice:
        return _("From %(day)s until further notice") % {"day": first}
    if one.first == one.last:
        return first
    return f"{first} – {format_date(one.last, pattern)}"


# --- What programs read.


def build_json(row: HasHours, *, at: datetime | None = None) -> dict[str, Any]:
    """The hours as the API documents them (api.HoursOut)."""
    schedule, calendar = hours.load(row.schedule), find_calendar(row.nearest_city_id)
    state = hours.read_state(schedule, calendar, at=at or timezone.now())
    moments = {"closes_at": state.closes, "opens_at": state.opens}
    known = schedule or Schedule()
    return {
        "is_known": schedule is not None,
        "time_zone": calendar.zone.key,
        **{
            name: hours.find_instant(wall, calendar.zone).astimezone(calendar.zone).isoformat()
            if wall
            else None
            for name, wall in moments.items()
        },
        "week": [
            {"day": name.lower(), "spans": _spans_json(spans)}
            for name, spans in zip(hours.DAYS, known.week, strict=True)
        ]
        if schedule
        else [],
        "holidays": None if known.holidays is None else _spans_json(known.holidays),
        "exceptions": [
            {
                "first": one.first.isoformat(),
                "last": None if one.is_until_further_notice else one.last.isoformat(),
                "spans": _spans_json(one.spans),
            }
            for one in known.exceptions
        ],
        "text": row.schedule,
    }


def build_schema_org(row: HasHours, *, today: date | None = None) -> dict[str, Any]:
    """`openingHoursSpecification` and `specialOpeningHoursSpecification`; {} where the hours are unknown."""
    schedule, calendar = hours.load(row.schedule), find_calendar(row.nearest_city_id)
    if schedule is None:
        return {}
    day = today or hours.find_wall_time(timezone.now(), calendar.zone)[0]
    week = [
        {
            "@type": "OpeningHoursSpecification",
            "dayOfWeek": [f"https://schema.org/{_SCHEMA_DAYS[one]}" for one in days],
            **_schema_times(span),
        }
        for days, spans in hours.group_days(schedule.week)
        for span in spans
    ]
    special = [one for one in schedule.exceptions if one.last >= day]
    if schedule.holidays is not None:
        ahead = sorted(one for one in calendar.holidays if day <= one <= day + timedelta(days=366))
        free = [one for one in ahead if not any(part.first <= one <= part.last for part in special)]
        special += [SpecialDays(one, one, schedule.holidays) for one in free]
    found: dict[str, Any] = {"openingHoursSpecification": week}
    if special:
        found["specialOpeningHoursSpecification"] = [
            _schema_special(one, span) for one in sorted(special) for span in one.spans or [None]
        ]
    return found


class Moment(NamedTuple):
    """What a city's clock shows: day, minute, and whether the day and the one before are public holidays."""

    day: date
    minute: int
    is_holiday: bool
    was_holiday: bool


def read_moments(at: datetime) -> dict[int, Moment]:
    """The moment by the clock of each city, and at 0 by that of the site."""
    found = {}
    for city_id, calendar in {0: find_calendar(None), **_read_calendars()}.items():
        day, minute = hours.find_wall_time(at, calendar.zone)
        holidays = calendar.holidays
        found[city_id] = Moment(day, minute, day in holidays, day - hours.ONE_DAY in holidays)
    return found


def open_condition(at: datetime) -> Q:
    """The condition on shops that they are open at a moment."""
    moments = read_moments(at)
    usual = moments.pop(0)
    by_moment: dict[Moment, list[int]] = {}
    for city_id, moment in moments.items():
        by_moment.setdefault(moment, []).append(city_id)
    if not set(by_moment) - {usual}:
        return _open_in(usual)
    conditions = [Q(nearest_city__in=ids) & _open_in(moment) for moment, ids in by_moment.items()]
    return reduce(or_, conditions, Q(nearest_city=None) & _open_in(usual))


def encode(row: HasHours) -> str:
    """The hours as the GEO index holds them, which gather_near.lua reads.

    "7;x739617-739617=720-960;h=;w01234=540-1080;w56=": the city's id (0 for none), exceptions by the number
    of the day, public holidays, weekdays. "" where the hours are unknown.
    """
    schedule = hours.load(row.schedule)
    if schedule is None:
        return ""
    parts = [str(row.nearest_city_id or 0)]
    parts += [
        f"x{one.first.toordinal()}-{one.last.toordinal()}={_encode_spans(one.spans)}"
        for one in schedule.exceptions
    ]
    if schedule.holidays is not None:
        parts.append(f"h={_encode_spans(schedule.holidays)}")
    parts += [
        f"w{''.join(map(str, days))}={_encode_spans(spans)}"
        for days, spans in hours.group_days(schedule.week)
    ]
    return ";".join(parts)


def moments_for_redis(at: datetime) -> dict[str, dict[str, Any]]:
    """The moments by city as gather_near.lua reads them."""
    return {
        str(city_id): {
            "minute": moment.minute,
            "today": {
                "number": moment.day.toordinal(),
                "weekday": moment.day.weekday(),
                "is_holiday": moment.is_holiday,
            },
            "yesterday": {
                "number": moment.day.toordinal() - 1,
                "weekday": (moment.day - hours.ONE_DAY).weekday(),
                "is_holiday": moment.was_holiday,
            },
        }
        for city_id, moment in read_moments(at).items()
    }


def build_spans(shop: Shop) -> list[OpenSpan]:
    """The rows by which SQL finds whether a shop is open."""
    return [OpenSpan(shop_id=shop.pk, **row._asdict()) for row in hours.flatten(hours.load(shop.schedule))]


def _open_in(moment: Moment) -> Q:
    yesterday = moment.day - hours.ONE_DAY
    return Q(_span_at(moment.day, moment.minute, is_holiday=moment.is_holiday)) | Q(
        _span_at(yesterday, moment.minute + hours.DAY_MINUTES, is_holiday=moment.was_holiday)
    )


def _span_at(day: date, minute: int, *, is_holiday: bool) -> Q:
    """A span of that day holds the minute: of an exception, else of a holiday, else of the weekday."""
    spans = OpenSpan.objects.filter(shop=OuterRef("pk"))
    inside = Q(opens__lte=minute, closes__gt=minute)
    special = spans.filter(first__lte=day, last__gte=day)
    weekday = spans.annotate(bit=F("days").bitand(1 << day.weekday())).filter(inside, bit__gt=0)
    usual = Q(Exists(weekday))
    if is_holiday:
        holiday = spans.filter(days=hours.HOLIDAYS)
        usual = Q(Exists(holiday.filter(inside))) | (~Q(Exists(holiday)) & usual)
    return Q(Exists(special.filter(inside))) | (~Q(Exists(special)) & usual)


def _read_calendars() -> Mapping[int, Calendar]:
    if _copy is None or time.monotonic() - _copy.read_at > FRESH_SECONDS:
        keep_calendars(City.objects.all())
    assert _copy
    return _copy.calendars


def _format_moment(wall: datetime, today: date, *, is_end: bool = False) -> str:
    """ "10:30" today, "Tue 10:30" within six days, else "5 Oct 10:30"; the end of a day is its 24:00."""
    minute = wall.hour * 60 + wall.minute
    day = wall.date()
    if is_end and not minute:
        day, minute = day - hours.ONE_DAY, hours.DAY_MINUTES
    written = hours.format_minute(minute)
    # The night after today: "closes 02:00".
    is_night = is_end and (day - today).days == 1 and minute < hours.DAY_MINUTES // 2
    if day == today or is_night:
        return written
    if (day - today).days < 7:
        return _("%(day)s %(time)s") % {"day": DAY_NAMES[day.weekday()], "time": written}
    label = format_date(day, pgettext("day of an opening", "j M"))
    return _("%(day)s %(time)s") % {"day": label, "time": written}


def _iter_runs(week: Iterable[Spans]) -> Iterable[tuple[int, int, Spans]]:
    """First day, last day and spans of the days in a row that have the same."""
    for spans, days in groupby(enumerate(week), key=lambda pair: pair[1]):
        listed = [day for day, _spans in days]
        yield listed[0], listed[-1], spans


def _format_days(first: int, last: int) -> str:
    if (first, last) == (0, 6):
        return ""
    if first == last:
        return str(DAY_NAMES[first])
    # Translators: Mon–Fri.
    return pgettext("days of opening hours", "%(first)s–%(last)s") % {
        "first": DAY_NAMES[first],
        "last": DAY_NAMES[last],
    }


def _join_days(days: str, spans: Spans) -> str:
    """ "Mon–Fri 09:00–18:00", "Sun closed"."""
    if not days:
        return _format_spans(spans)
    if not spans:
        return _("%(days)s closed") % {"days": days}
    return f"{days} {_format_spans(spans)}"


def _format_spans(spans: Spans) -> str:
    if not spans:
        return pgettext("hours of a day", "Closed")
    if spans == ALL_DAY:
        return _("24 hours")
    # Translators: between two spans of opening hours.
    return pgettext("between opening hours", ", ").join(
        f"{hours.format_minute(opens)}–{hours.format_minute(closes)}" for opens, closes in spans
    )


_SCHEMA_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _spans_json(spans: Spans) -> list[dict[str, str]]:
    return [
        {"opens": hours.dump_minute(opens), "closes": hours.dump_minute(closes)} for opens, closes in spans
    ]


def _schema_times(span: tuple[int, int]) -> dict[str, str]:
    """Times as search engines take them: what ends past midnight closes at a time of the next day."""
    opens, closes = span
    if span == ALL_DAY[0]:
        return {"opens": "00:00", "closes": "23:59"}
    return {
        "opens": hours.dump_minute(opens),
        "closes": hours.dump_minute(closes % hours.DAY_MINUTES),
    }


def _schema_special(one: SpecialDays, span: tuple[int, int] | None) -> dict[str, str]:
    # Closed days are written as from midnight to midnight.
    times = _schema_times(span) if span else {"opens": "00:00", "closes": "00:00"}
    days = {"validFrom": one.first.isoformat()}
    if not one.is_until_further_notice:
        days["validThrough"] = one.last.isoformat()
    return {"@type": "OpeningHoursSpecification", **days, **times}


def _encode_spans(spans: Spans) -> str:
    return ",".join(f"{opens}-{closes}" for opens, closes in spans)
