"""A form's field for the hours of a shop: seven days, public holidays, and exceptions by date.

It works without scripts: every day has a spare pair of times, and exceptions an empty row;
static/js/hours_form.js hides what isn't needed and shows the week as people will read it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal, NamedTuple

from django import forms
from django.forms import Script
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from apps.shops import hours, hours_text
from apps.shops.hours import ALL_DAY, FOREVER, BadSpans, Schedule, Spans, SpecialDays
from apps.web.in_language import columns

#: Keys of the rows: the days of a week, and public holidays.
WEEK_KEYS = tuple(day.lower() for day in hours.DAYS)
HOLIDAY_KEY = "ph"
DAY_LABELS = {
    "mo": gettext_lazy("Monday"), "tu": gettext_lazy("Tuesday"), "we": gettext_lazy("Wednesday"),
    "th": gettext_lazy("Thursday"), "fr": gettext_lazy("Friday"), "sa": gettext_lazy("Saturday"),
    "su": gettext_lazy("Sunday"), "ph": gettext_lazy("Public holidays"),
}  # fmt: skip
Kind = Literal["", "times", "all", "closed"]
KIND_LABELS = {
    "times": pgettext_lazy("hours", "Open at"),
    "all": gettext_lazy("24 hours"),
    "closed": pgettext_lazy("hours of a day", "Closed"),
}
WORDS_HELP = gettext_lazy(
    "Instead of the days above, such as “Mo-Sa 10:00-22:00”. Words that aren't understood are shown as they "
    "are, and the shop is never “open now”."
)
_TIME_PATTERN = re.compile(r"(\d{1,2}):(\d{2})(?::00)?")
#: How many exceptions a form takes.
MAX_ROWS = hours.MAX_EXCEPTIONS


class Pair(NamedTuple):
    """Two times as they are written."""

    opens: str = ""
    closes: str = ""


@dataclass
class DayInput:
    """What is written of a day, of holidays or of an exception; `last` is "" for one day."""

    kind: str = ""
    pairs: list[Pair] = field(default_factory=list)
    first: str = ""
    last: str = ""
    is_until_further_notice: bool = False

    @property
    def rows(self) -> list[tuple[int, Pair]]:
        """The pairs with their numbers, and a spare one."""
        return list(enumerate([*self.pairs, Pair()]))

    @property
    def is_blank(self) -> bool:
        return not (self.first or self.last or self.kind or any(map(any, self.pairs)))


@dataclass
class HoursInput:
    """The hours as a form has them, by the keys of the rows."""

    is_same: bool = False
    days: dict[str, DayInput] = field(default_factory=dict)
    exceptions: list[DayInput] = field(default_factory=list)

    def __str__(self) -> str:
        """The schedule as a row stores it, for the choice between two; "…" where it can't be read."""
        try:
            schedule = read_input(self)
        except (forms.ValidationError, BadSpans):
            return "…"
        return hours.dump(schedule) if schedule else ""


def write_input(schedule: Schedule | None) -> HoursInput:
    """How a form shows a schedule."""
    if schedule is None:
        return HoursInput(False, {key: DayInput() for key in (*WEEK_KEYS, HOLIDAY_KEY)})
    days = {key: _write_day(spans) for key, spans in zip(WEEK_KEYS, schedule.week, strict=True)}
    days[HOLIDAY_KEY] = DayInput() if schedule.holidays is None else _write_day(schedule.holidays)
    exceptions = []
    for one in schedule.exceptions:
        row = _write_day(one.spans)
        row.first = one.first.isoformat()
        row.is_until_further_notice = one.is_until_further_notice
        if one.last not in (one.first, FOREVER):
            row.last = one.last.isoformat()
        exceptions.append(row)
    return HoursInput(len(set(schedule.week)) == 1, days, exceptions)


class HoursWidget(forms.Widget):
    """Rows of times; its value is an HoursInput, or the text of a schedule."""

    class Media:
        css = {"all": ("css/hours_form.css",)}  # noqa: RUF012 - as Django reads it
        js = (Script("js/hours_form.js", type="module"),)  # noqa: RUF012 - as Django reads it

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> HoursInput | None:
        """What was sent; None by a page without these rows."""
        if self.value_omitted_from_data(data, files, name):
            return None
        found = HoursInput(bool(data.get(f"{name}-same")))
        for key in (*WEEK_KEYS, HOLIDAY_KEY):
            found.days[key] = _read_row(data, f"{name}-{key}")
        for number in range(MAX_ROWS + 1):
            prefix = f"{name}-x{number}"
            if f"{prefix}-first" not in data:
                continue
            row = _read_row(data, prefix)
            row.first = str(data.get(f"{prefix}-first", "")).strip()
            row.last = str(data.get(f"{prefix}-last", "")).strip()
            row.is_until_further_notice = bool(data.get(f"{prefix}-open-end"))
            # A row that says no day, whatever is chosen in it, is the empty one.
            is_said = row.first or row.last or row.pairs or row.is_until_further_notice
            if is_said and not data.get(f"{prefix}-delete"):
                found.exceptions.append(row)
        return found

    def value_omitted_from_data(self, data: Mapping[str, Any], _files: Any, name: str) -> bool:
        return f"{name}-{WEEK_KEYS[0]}-kind" not in data

    def id_for_label(self, id_: str) -> str:
        return f"{id_}-mo" if id_ else ""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        written = value if isinstance(value, HoursInput) else write_input(hours.load(value or ""))
        context = {
            "name": name,
            "is_same": written.is_same,
            "week": [(key, DAY_LABELS[key], written.days[key]) for key in WEEK_KEYS],
            "holidays": (HOLIDAY_KEY, DAY_LABELS[HOLIDAY_KEY], written.days[HOLIDAY_KEY]),
            "exceptions": list(enumerate([*written.exceptions, DayInput(kind="closed")])),
            "kinds": list(KIND_LABELS.items()),
        }
        return render_to_string("shops/_hours_fields.html", context)


class HoursField(forms.Field):
    """The text of a schedule (hours.dump), "" where no day says anything."""

    widget = HoursWidget

    def clean(self, value: Any) -> str:
        try:
            schedule = read_input(value) if isinstance(value, HoursInput) else hours.load(value or "")
        except BadSpans as error:
            raise forms.ValidationError(_("These are more times than a day has.")) from error
        return hours.dump(schedule) if schedule else ""

    def has_changed(self, initial: Any, data: Any) -> bool:
        if data is None:
            return False
        try:
            return self.clean(data) != (initial or "")
        except forms.ValidationError:
            return True


class HoursPreviewForm(forms.Form):
    """The rows of another form, to show the week that they say."""

    schedule = HoursField(required=False)
    hours_en = forms.CharField(required=False)
    hours_zh = forms.CharField(required=False)


class HoursFormMixin:
    """A ModelForm of shops with `schedule` and the words: the one that was changed counts."""

    cleaned_data: dict[str, Any]
    changed_data: list[str]

    def clean_hours(self, cleaned: dict[str, Any]) -> None:
        """Refuse impossible times, and hours that are changed as days and in words; days replace words."""
        words = [name for name in columns("hours") if name in self.changed_data and cleaned.get(name)]
        for name in words:
            if problem := find_problem(cleaned[name]):
                self.add_error(name, problem)  # type: ignore[attr-defined]
        if "schedule" not in self.changed_data or "schedule" not in cleaned:
            return
        if words:
            self.add_error(words[0], _("Write the hours as days or in words, not both."))  # type: ignore[attr-defined]
        elif cleaned["schedule"]:
            cleaned.update(dict.fromkeys(columns("hours"), ""))

    @property
    def written_columns(self) -> list[str]:
        """The columns that were changed, and those that follow from them."""
        changed = list(self.changed_data)
        return changed + [name for name in columns("hours") if "schedule" in changed and name not in changed]


def find_problem(text: str) -> str:
    """What is wrong with hours in words: a time that no clock shows; "" for nothing."""
    try:
        hours_text.read(text)
    except hours_text.ImpossibleTime as error:
        return _("“%(time).20s” is no time of the day.") % {"time": error.written}
    return ""


def read_input(written: HoursInput) -> Schedule | None:
    """The schedule that is written, None where no day says anything; ValidationError."""
    first = written.days[WEEK_KEYS[0]]
    rows = {key: first if written.is_same else written.days[key] for key in WEEK_KEYS}
    if all(row.is_blank for row in rows.values()):
        if written.exceptions:
            raise forms.ValidationError(_("Write the usual week before the days that differ."))
        return None
    week = tuple(_read_day(row, DAY_LABELS[key]) for key, row in rows.items())
    holiday = written.days[HOLIDAY_KEY]
    holidays = None if holiday.is_blank else _read_day(holiday, DAY_LABELS[HOLIDAY_KEY])
    return Schedule(week, holidays).with_exceptions(map(_read_exception, written.exceptions))


def _read_exception(row: DayInput) -> SpecialDays:
    try:
        first = date.fromisoformat(row.first)
        last = FOREVER if row.is_until_further_notice else date.fromisoformat(row.last or row.first)
    except ValueError:
        raise forms.ValidationError(_("Write the day of each exception, such as 2027-01-01.")) from None
    if last < first or (last != FOREVER and last - first > timedelta(days=3_660)):
        sentence = _("An exception ends before it begins: %(first)s to %(last)s.")
        raise forms.ValidationError(sentence % {"first": first.isoformat(), "last": last.isoformat()})
    return SpecialDays(first, last, _read_day(row, first.isoformat()))


def _read_day(row: DayInput, label: Any) -> Spans:
    pairs = [pair for pair in row.pairs if any(pair)]
    if row.kind == "closed":
        return ()
    if row.kind == "all":
        return ALL_DAY
    if not pairs:
        sentence = _("%(day)s: write when it opens and closes, or that it is closed.")
        raise forms.ValidationError(sentence % {"day": label})
    return hours.normalize_spans(_read_pair(pair, label) for pair in pairs)


def _read_pair(pair: Pair, label: Any) -> hours.Span:
    if not all(pair):
        raise forms.ValidationError(_("%(day)s: both times are needed.") % {"day": label})
    opens, closes = map(_read_time, pair)
    if opens >= hours.DAY_MINUTES or closes > opens + hours.DAY_MINUTES:
        raise forms.ValidationError(_("“%(time).20s” is no time of the day.") % {"time": "–".join(pair)})
    return hours.make_span(opens, closes)


def _read_time(text: str) -> int:
    found = _TIME_PATTERN.fullmatch(text.strip())
    minutes = int(found[1]) * 60 + int(found[2]) if found else -1
    if not found or int(found[2]) > 59 or not 0 <= minutes <= 2 * hours.DAY_MINUTES:
        raise forms.ValidationError(_("“%(time).20s” is no time of the day.") % {"time": text})
    return minutes


def _read_row(data: Mapping[str, Any], prefix: str) -> DayInput:
    kind = str(data.get(f"{prefix}-kind", ""))
    return DayInput(kind if kind in KIND_LABELS else "", list(_read_pairs(data, prefix)))


def _read_pairs(data: Mapping[str, Any], prefix: str) -> Iterator[Pair]:
    for number in range(hours.MAX_SPANS_A_DAY + 1):
        pair = Pair(*(str(data.get(f"{prefix}-{number}-{side}", "")).strip() for side in Pair._fields))
        if any(pair):
            yield pair


def _write_day(spans: Iterable[hours.Span]) -> DayInput:
    listed = tuple(spans)
    if not listed:
        return DayInput("closed")
    if listed == ALL_DAY:
        return DayInput("all")
    pairs = [(opens, closes % hours.DAY_MINUTES) for opens, closes in listed]
    return DayInput("times", [Pair(*map(hours.dump_minute, pair)) for pair in pairs])
