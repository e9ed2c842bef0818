"""Reads opening hours as people and OpenStreetMap write them, in English and Chinese.

    read("Mo-Fr 09:00-18:00; Sa 10:00-26:00; PH off")
    read("周一至周六 09：00～21：00，周日休息")
    read("9:00 AM to 10 PM, closed on Mondays")

It reads weekdays, public holidays (PH) and dates with a year, with spans, "off" or "24 hours"; days that
aren't named are closed, as in OpenStreetMap. Spans without days hold for the days that no other part names.
Whatever else the text says makes it one that isn't understood: hours half read would send people to a closed
door.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

from apps.shops import hours
from apps.shops.hours import ALL_DAY, FOREVER, BadSpans, Schedule, Spans, SpecialDays

MAX_TEXT_LETTERS = 600
EVERY_DAY = 0b1111111
#: What opens in the morning and ends before it began was perhaps written by a clock of twelve hours.
MAX_NIGHT_MINUTES = 18 * 60


class NotUnderstood(Exception):
    """A text that isn't hours, or says more than is read."""


class ImpossibleTime(ValueError):
    """A text with a time that no clock shows; `written` is the time."""

    def __init__(self, written: str) -> None:
        super().__init__(written)
        self.written = written


class Token(NamedTuple):
    kind: Literal["time", "day", "days", "holiday", "date", "off", "all", "-", ",", ";", "number", "plus"]
    value: int = 0
    day: date | None = None
    #: Half of the day of a time: "am", "pm" or "" where nothing was said.
    half: str = ""


_SIGNS = str.maketrans("，、；。｡和及()", ",,;;;,,  ")
_DASH_PATTERN = re.compile(r"\s*(?:[-–—―−‐‑~〜～至到]|\bto\b|\buntil\b|\btill?\b|\bthrough\b|\bthru\b)+\s*")
_DAY_WORDS = (
    "mo(?:n(?:days?)?)?", "tu(?:es?(?:days?)?)?",
    # Not "we" of "We open at nine".
    r"we(?:d(?:nesdays?)?|(?=\s*[-,;:]|\s+(?:\d|off\b)))", "th(?:u(?:rs?(?:days?)?)?)?",
    "fr(?:i(?:days?)?)?", "sa(?:t(?:urdays?)?)?", "su(?:n(?:days?)?)?",
)  # fmt: skip
_CHINESE_DAYS = "一二三四五六日"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ENGLISH_HALVES = {"am": "am", "pm": "pm"}
_CHINESE_HALVES = {
    "凌晨": "am", "清晨": "am", "早上": "am", "早晨": "am", "上午": "am", "早": "am",
    "中午": "noon", "下午": "pm", "傍晚": "pm", "晚上": "pm", "夜里": "pm", "晚": "pm",
}  # fmt: skip
_HALF_PATTERN = "|".join(sorted(_CHINESE_HALVES, key=len, reverse=True))
#: In the order in which they are tried.
_TOKEN_PATTERN = re.compile(
    "|".join(
        (
            r"(?P<all>24\s*/\s*7|(?:open\s+)?24\s*-?\s*(?:hours|hrs|hr|h)\b|24\s*小时(?:营业)?|全天候?(?:营业)?"
            r"|all day\b|昼夜营业)",
            r"(?P<date>\d{4}-\d{1,2}-\d{1,2}|\d{4}年\d{1,2}月\d{1,2}[日号]|\d{4}\s+(?:"
            + "|".join(_MONTHS)
            + r")\s+\d{1,2}(?!\d|:))",
            rf"(?P<time>(?:(?P<before>{_HALF_PATTERN})\s*)?"
            r"(?:(?P<hour>\d{1,2})(?:\s*[:.]\s*(?P<minute>\d{2})(?!\d)|[点时](?P<cn>半|\d{1,2}分?|整)?|h(?P<french>\d{2})\b)"
            r"(?:\s*(?P<after>[ap])\.?m\b\.?)?|(?P<hour_alone>\d{1,2})\s*(?P<after_alone>[ap])\.?m\b\.?))",
            r"(?P<days>每天|每日|天天|全周|daily\b|every\s*day\b|7 days a week\b|seven days a week\b)",
            r"(?P<weekdays>工作日|平日|weekdays\b)|(?P<weekend>周末|双休日|weekends?\b)",
            r"(?P<holiday>ph\b|(?:法定)?节?假日|(?:public|bank)\s+holidays?\b|holidays\b)",
            r"(?P<cday>(?:周|星期|礼拜)[一二三四五六日天])|(?P<bare>[一二三四五六日天](?=[,;\s-]|\d|[一二三四五六日天]|休|$))",
            r"(?P<off>off\b|closed\b|不营业|休息|店休|公休|歇业|关门|停业|休)",
            *(rf"(?P<d{number}>{word}\b)" for number, word in enumerate(_DAY_WORDS)),
            r"(?P<filler>opening hours?\b|open(?:ed|ing|s)?\b|business hours\b|hours\b"
            r"|营业时间|营业中|营业|开放|开门|\bon\b|\bfrom\b|\band\b|&|:)",
            r"(?P<dash>-)|(?P<plus>\+)|(?P<comma>,)|(?P<semicolon>;|\|\||\n|/)|(?P<space>\s+)|(?P<number>\d{1,2}(?!\d))",
        )
    )
)


# A file of shops repeats its texts.
@lru_cache(5_000)
def read(text: str) -> Schedule | None:
    """The schedule that a text says, None where it isn't understood; ImpossibleTime for 99:00."""
    if not text.strip() or len(text) > MAX_TEXT_LETTERS:
        return None
    try:
        return _Reader(_split(_normalize(text))).read()
    except (NotUnderstood, BadSpans):
        return None


def read_all(texts: Iterable[str]) -> Schedule | None:
    """The schedule on which all texts agree; None where a text isn't understood or differs."""
    found = {_read_or_none(text) for text in texts if text.strip()}
    return found.pop() if len(found) == 1 else None


def _read_or_none(text: str) -> Schedule | None:
    try:
        return read(text)
    except ImpossibleTime:
        return None


def _normalize(text: str) -> str:
    """The text in small letters, with plain digits and signs; a dash replaces "to" and 至."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_SIGNS)
    return _DASH_PATTERN.sub("-", plain).strip(" ,;.")


def _split(text: str) -> list[Token]:
    tokens, place = list[Token](), 0
    while place < len(text):
        found = _TOKEN_PATTERN.match(text, place)
        if not found:
            raise NotUnderstood
        place = found.end()
        tokens += _make_tokens(found)
    return tokens


def _make_tokens(found: re.Match[str]) -> list[Token]:
    name = str(found.lastgroup)
    parts = found.groupdict()
    if parts["time"]:
        return [_read_time(parts)]
    if parts["date"]:
        return [Token("date", day=_read_date(found["date"]))]
    if name[0] == "d" and name[1:].isdigit():
        return [Token("day", int(name[1:]))]
    if name in ("cday", "bare"):
        day = found[0][-1]
        return [
            Token(
                "day", 6 if day == "天" else _CHINESE_DAYS.index(day), half="bare" if name == "bare" else ""
            )
        ]
    masks = {"days": range(7), "weekdays": range(5), "weekend": range(5, 7)}
    if name in masks:
        return [Token("days", sum(1 << day for day in masks[name]))]
    if name in ("filler", "space"):
        return []
    if name == "number":
        raise NotUnderstood
    signs: dict[str, Token] = {
        "dash": Token("-"), "comma": Token(","), "semicolon": Token(";"), "plus": Token("plus"),
        "all": Token("all"), "off": Token("off"), "holiday": Token("holiday"),
    }  # fmt: skip
    return [signs[name]]


def _read_time(parts: dict[str, str | None]) -> Token:
    """A time in minutes of the day; up to 48:00, for what ends on the next day."""
    hour = int(parts["hour"] or parts["hour_alone"] or 0)
    chinese = parts["cn"] or ""
    minute = (
        30 if chinese == "半" else int(re.sub(r"\D", "", parts["minute"] or parts["french"] or chinese) or 0)
    )
    before, after = parts["before"], parts["after"] or parts["after_alone"]
    half = f"{after}m" if after else _CHINESE_HALVES[before] if before else ""
    written = str(parts["time"])
    if minute > 59 or hour * 60 + minute > 2 * hours.DAY_MINUTES or (after and hour > 12 and half == "am"):
        raise ImpossibleTime(written)
    if half == "am" and hour == 12:
        hour = 0
    elif (half == "pm" and hour < 12) or (half == "noon" and hour < 4):
        # 晚上12点 is midnight, as 24:00 is.
        hour += 12
    elif half == "pm" and hour == 12 and before in ("晚上", "晚", "夜里"):
        hour = 24
    return Token("time", hour * 60 + minute, half=half)


def _read_date(written: str) -> date:
    months = {name: str(number) for number, name in enumerate(_MONTHS, start=1)}
    parts = [int(months.get(part, part)) for part in re.split(r"[-年月日号\s]+", written) if part]
    try:
        return date(*parts)
    except (ValueError, TypeError):
        raise ImpossibleTime(written) from None


@dataclass
class _Rule:
    """Days and what they have; without any days it holds where no other rule does."""

    days: int = 0
    holiday: bool = False
    dates: list[tuple[date, date]] = field(default_factory=list)
    spans: Spans | None = None
    adds: bool = False

    @property
    def has_days(self) -> bool:
        return bool(self.days or self.holiday or self.dates)


@dataclass
class _Reader:
    """Reads tokens from left to right into rules, and those into a schedule."""

    tokens: list[Token]
    place: int = 0
    rules: list[_Rule] = field(default_factory=list)

    def read(self) -> Schedule:
        separator = ";"
        while self.place < len(self.tokens):
            if self._next in (",", ";"):
                separator = self._take().kind
                continue
            rule = self._read_rule()
            rule.adds = separator == "," and bool(self.rules)
            self.rules.append(rule)
            separator = " "
        return self._build()

    @property
    def _next(self) -> str:
        return self.tokens[self.place].kind if self.place < len(self.tokens) else ""

    def _take(self) -> Token:
        self.place += 1
        return self.tokens[self.place - 1]

    def _read_rule(self) -> _Rule:
        """Days and their hours; in "closed on Mondays" and "9:00-17:00 Mon-Fri" hours and their days."""
        rule = _Rule()
        self._read_days(rule)
        if self._next == "off":
            self._take()
            rule.spans = ()
            if not rule.has_days:
                self._read_days(rule)
                if not rule.has_days and (self.rules or self._next):
                    raise NotUnderstood
            return rule
        if self._next == "all":
            self._take()
            rule.spans = ALL_DAY
        elif self._next == "time":
            rule.spans = self._read_spans()
        if rule.spans is None:
            raise NotUnderstood
        if not rule.has_days and not self.rules and self._next in ("day", "days", "holiday"):
            self._read_days_at_end(rule)
        return rule

    def _read_days_at_end(self, rule: _Rule) -> None:
        """Days behind their hours, if nothing follows: else they begin the next rule."""
        start = self.place
        behind = _Rule()
        self._read_days(behind)
        if self._next:
            self.place = start
        else:
            rule.days, rule.holiday, rule.dates = behind.days, behind.holiday, behind.dates

    def _read_days(self, rule: _Rule) -> None:
        while self._next in ("day", "days", "holiday", "date"):
            token = self._take()
            if token.kind == "day":
                if token.half == "bare" and not rule.days:
                    raise NotUnderstood
                rule.days |= self._read_day_range(token.value)
            elif token.kind == "days":
                rule.days |= token.value
            elif token.kind == "holiday":
                rule.holiday = True
            elif token.day:
                rule.dates.append(self._read_dates(token.day))
            # A comma before another day: else it ends the rule.
            following = self.tokens[self.place + 1].kind if self.place + 1 < len(self.tokens) else ""
            if self._next == "," and following in ("day", "days", "holiday", "date"):
                self._take()

    def _read_day_range(self, first: int) -> int:
        last = first
        if self._next == "-":
            self._take()
            if self._next != "day":
                raise NotUnderstood
            last = self._take().value
        return sum(1 << day % 7 for day in range(first, last + 1 if last >= first else last + 8))

    def _read_dates(self, first: date) -> tuple[date, date]:
        if self._next == "plus":
            self._take()
            return first, FOREVER
        if self._next != "-":
            return first, first
        self._take()
        token = self._take() if self._next == "date" else None
        if token is None or token.day is None or token.day < first:
            raise NotUnderstood
        return first, token.day

    def _read_spans(self) -> Spans:
        spans = [self._read_span()]
        while self._next == "time" or (
            self._next == ","
            and self.place + 1 < len(self.tokens)
            and self.tokens[self.place + 1].kind == "time"
        ):
            if self._next == ",":
                self._take()
            spans.append(self._read_span())
        return hours.normalize_spans(spans)

    def _read_span(self) -> hours.Span:
        first = self._take()
        if self._next != "-":
            raise NotUnderstood
        self._take()
        if self._next != "time":
            raise NotUnderstood
        last = self._take()
        if bool(first.half) != bool(last.half) and any(
            not one.half and one.value < 13 * 60 for one in (first, last)
        ):
            # "下午2:00-5:00", "9:00-5:00 pm": which half the other time is in was not said.
            raise NotUnderstood
        opens, closes = first.value, last.value
        if opens >= hours.DAY_MINUTES:
            raise ImpossibleTime(hours.dump_minute(opens))
        span = hours.make_span(opens, closes)
        if closes - opens > hours.DAY_MINUTES or (opens == closes and opens):
            raise NotUnderstood
        if 0 < closes < opens and span[1] - opens > MAX_NIGHT_MINUTES:
            # "9:00-5:00" is rather nine to seventeen.
            raise NotUnderstood
        return span

    def _build(self) -> Schedule:
        if not self.rules:
            raise NotUnderstood
        general = [rule.spans for rule in self.rules if not rule.has_days and rule.spans is not None]
        named = [rule for rule in self.rules if rule.has_days]
        usual = hours.normalize_spans(span for spans in general for span in spans)
        week, holidays, special = [usual] * 7, None, list[SpecialDays]()
        known = 0
        for rule in named:
            spans = rule.spans or ()
            for day in range(7):
                if rule.days >> day & 1:
                    # "Mo 09:00-12:00, Mo 14:00-18:00"; after a semicolon the later one counts.
                    more = week[day] if rule.adds and spans and known >> day & 1 else ()
                    week[day] = hours.normalize_spans([*more, *spans])
            known |= rule.days
            if rule.holiday:
                holidays = spans
            special += [SpecialDays(first, last, spans) for first, last in rule.dates]
        if not general and not any(rule.days and rule.spans for rule in named) and known != EVERY_DAY:
            # "周日休息", or exceptions alone: nobody said when it is usually open.
            raise NotUnderstood
        return Schedule(tuple(week), holidays).with_exceptions(special)
