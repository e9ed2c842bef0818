"""Numbers and days as people and spreadsheets write them: one reader of each for every column of every file.

What can be read in two ways is refused, and the sentence names both.
"""

import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.web import characters, days

#: Signs of decimals and of thousands in other scripts, and what parts thousands beside spaces.
_SIGNS = str.maketrans("，､、٫٬’`´′٭", ",,,.,''''*")  # noqa: RUF001 - that is what people paste
#: The most digits of a number that is read: more than any column holds.
_MAX_DIGITS = 40
#: Thousands, and India's lakhs: 1,250,000 and 12,50,000.
_GROUPS = r"[0-9]{1,3}(?:%s[0-9]{2,3})*%s[0-9]{3}"
_SPACED = re.compile(rf"(?:{_GROUPS % (' ', ' ')}|{_GROUPS % (chr(39), chr(39))})(?![0-9])")
#: Digits that a group of thousands has, and decimals may have.
_GROUP_DIGITS = 3

_YEAR, _DAY = r"(?P<year>\d{4})", r"(?P<day>\d{1,2})"
_MONTH, _NAME = r"(?P<month>\d{1,2})", r"(?P<month>[A-Za-z]{3})[a-z]*\.?"
#: 31.12.2027, 31/12/2027 and 12/31/2027.
_YEAR_LAST = re.compile(rf"{_DAY}(?P<sign>[-/.]){_MONTH}(?P=sign){_YEAR}")
_DAYS = (
    # 2027-12-31, 2027/1/5, 2027.12.31
    re.compile(rf"{_YEAR}(?P<sign>[-/.]){_MONTH}(?P=sign){_DAY}(?!\d)"),
    re.compile(rf"{_YEAR} ?年 ?{_MONTH} ?月 ?{_DAY}(?: ?[日号])?(?!\d)"),
    re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?!\d)"),
    _YEAR_LAST,
    # 31 Dec 2027, 31-Dec-2027, December 31st, 2027
    re.compile(rf"{_DAY}(?:st|nd|rd|th)?[ -]{_NAME},?[ -]{_YEAR}"),
    re.compile(rf"{_NAME} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}"),
)
_MONTHS = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}
#: What may stand behind a day: "0:00", "18:30:00.250000", "18:30+08:00", "12:00:00 AM".
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(?: ?([AaPp])\.?[Mm]\.?)?(?: ?(Z|[+-]\d{2}:?\d{2}))?"
)


# -- numbers ------------------------------------------------------------------------------------
class WrittenNumber(str):
    """A cell that held a number, not a text: its point parts the decimals."""

    __slots__ = ()


def write_number(number: float) -> WrittenNumber:
    """A workbook's number with the fifteen digits that spreadsheets have, without an exponent."""
    return WrittenNumber(f"{Decimal(f'{number:.15g}'):f}")


def read_number(written: str, delimiter: str, *, decimals: int, most: int) -> Decimal | None:
    """The number that a cell says, None where it says none; ValueError names both where it says two.

    `delimiter` parts the cells of the file: beside commas the decimal sign is a point. `decimals` and
    `most` are what the column may have: 30,259 degrees are no thousands.
    """
    is_exact = isinstance(written, WrittenNumber)
    text = characters.to_plain_number(written.translate(_SIGNS))
    sign, text = (-1, text[1:].lstrip()) if text.startswith("-") else (1, text.removeprefix("+"))
    readings = [Decimal(text)] if is_exact else _find_readings(_join_groups(text), delimiter)
    possible = [one for one in readings if one <= most and (decimals or one == one.to_integral_value())]
    if len(possible) > 1 and delimiter != ",":
        about = {"value": written, "one": f"{possible[0]:f}", "other": f"{possible[1]:f}"}
        sentence = _("“%(value).40s” may be %(one)s or %(other)s. Write it without a sign between thousands.")
        raise ValueError(sentence % about)
    return next((sign * one for one in possible or readings), None)


def _join_groups(text: str) -> str:
    """A number without the spaces or apostrophes between its thousands."""
    grouped = _SPACED.match(text)
    return re.sub("[ ']", "", grouped[0]) + text[grouped.end() :] if grouped else text


def _find_readings(text: str, delimiter: str) -> list[Decimal]:
    """The numbers that digits with points and commas may mean, the likelier first."""
    if not re.fullmatch(rf"[0-9.,]{{0,{_MAX_DIGITS}}}[0-9]", text):
        return []
    last = max(",.", key=text.rfind)
    whole, _sign, behind = text.rpartition(last)
    as_decimal = _join(whole, behind, "," if last == "." else ".") if whole.count(last) == 0 else []
    as_whole = _join(text, "", last) if "," not in text or "." not in text else []
    if not whole or len(behind) != _GROUP_DIGITS or not as_whole or not as_decimal:
        return as_decimal if whole and as_decimal else as_whole
    # Three digits behind the only sign. Beside commas a point parts decimals, and a comma thousands.
    return [*as_whole, *as_decimal] if last == "," and delimiter == "," else [*as_decimal, *as_whole]


def _join(whole: str, behind: str, thousands: str) -> list[Decimal]:
    """One number of digits that may be in groups, and its decimals; none where the groups are wrong."""
    sign = re.escape(thousands)
    if thousands in whole and (not re.fullmatch(_GROUPS % (sign, sign), whole) or whole.startswith("0")):
        return []
    digits = whole.replace(thousands, "")
    return [Decimal(f"{digits}.{behind}" if behind else digits)] if digits.isdigit() else []


# -- days ---------------------------------------------------------------------------------------
def read_end(written: str) -> datetime:
    """The moment until which something lasts: the end of a day, or a time of it, on the site's clock.

    A time of 0:00 is what spreadsheets add to a day, and 23:59 is how people write its end. ValueError with a
    sentence for what is no day, and for 05/06/2027, which may be one of two.
    """
    text = " ".join(unicodedata.normalize("NFKC", characters.drop_ignorable(written)).split())
    text = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    for pattern in _DAYS:
        if found := pattern.match(text):
            try:
                return _read_moment(_choose_day(found, written), text[found.end() :].lstrip("T ,"))
            except (OverflowError, _NoDay):
                break
    raise ValueError(_("“%(value).40s” is no day, such as 2027-12-31.") % {"value": written})


class _NoDay(Exception):  # noqa: N818 - becomes a sentence in the one place above
    """There is no such day or time."""


def _choose_day(found: re.Match[str], written: str) -> date:
    parts = found.groupdict()
    month = parts["month"]
    numbers = {name: int(value) for name, value in parts.items() if value and value.isdigit()}
    if month and not month.isdigit():
        numbers["month"] = _MONTHS.get(month.lower(), 0)
    ways = [(numbers["month"], numbers["day"])]
    if parts.get("sign") in {"/", "-"} and found.re is _YEAR_LAST:
        # As in America; with points the day always stands first.
        ways.append((numbers["day"], numbers["month"]))
    possible = list(dict.fromkeys(day for way in ways if (day := _make_day(numbers["year"], *way))))
    if not possible:
        raise _NoDay
    if len(possible) > 1:
        about = {"value": written, "one": possible[0].isoformat(), "other": possible[1].isoformat()}
        raise ValueError(_("“%(value).40s” may be %(one)s or %(other)s. Write the year first.") % about)
    return possible[0]


def _make_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _read_moment(day: date, written: str) -> datetime:
    if not written:
        return days.end_of_day(day)
    found = _TIME.fullmatch(written)
    if not found:
        raise _NoDay
    hour, minute, second, fraction, half, zone = found.groups()
    hours = int(hour) if half is None else int(hour) % 12 + 12 * (half in "Pp")
    seconds = (hours * 60 + int(minute)) * 60 + int(second or 0)
    if hours > 24 or int(minute) > 59 or int(second or 0) > 59 or seconds > 86_400:
        raise _NoDay
    if zone is None and seconds in {0, 86_400} and not int(fraction or 0):
        return days.end_of_day(day)
    text = f"{day}T{hours:02}:{minute}:{second or '00'}.{fraction or '0'}{zone or ''}"
    moment = parse_datetime(text)
    if moment is None:
        raise _NoDay
    return days.to_end(moment if timezone.is_aware(moment) else timezone.make_aware(moment))


def write_end(until: datetime | None) -> str:
    """What `read_end` reads as this moment: "2027-12-31" for a day's end, else with the time."""
    if until is None:
        return ""
    if day := days.last_day(until):
        return day.isoformat()
    local = timezone.localtime(until)
    return f"{local:%Y-%m-%d %H:%M:%S}" + (f".{local:%f}" if local.microsecond else "")
