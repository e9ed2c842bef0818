"""Template filters for texts and times in the reader's language."""

from datetime import date, datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from apps.web import in_language, short_dates, stored_texts

register = template.Library()
MINUTE_SECONDS = 60
#: (seconds, text) of the units of an age, the largest first.
AGE_UNITS = (
    (31_536_000, ngettext_lazy("%(count)d year", "%(count)d years", "count")),
    (2_592_000, ngettext_lazy("%(count)d month", "%(count)d months", "count")),
    (604_800, ngettext_lazy("%(count)d week", "%(count)d weeks", "count")),
    (86_400, ngettext_lazy("%(count)d day", "%(count)d days", "count")),
    (3_600, ngettext_lazy("%(count)d hour", "%(count)d hours", "count")),
    (MINUTE_SECONDS, ngettext_lazy("%(count)d minute", "%(count)d minutes", "count")),
)


@register.filter
def lang(text: str) -> SafeString:
    """`<h1 {{ shop.name|lang }}>`: the lang attribute of a text that isn't in the page's language, or ""."""
    written = in_language.language_of(str(text))
    page = "zh-Hans" if in_language.is_chinese() else "en"
    return format_html('lang="{}"', written) if written not in {"", page} else SafeString()


@register.filter
def age(at: datetime) -> str:
    """ "3 hours ago" or "in 2 days": the distance of a moment from now, in the largest unit."""
    seconds = int((timezone.now() - at).total_seconds())
    if abs(seconds) < MINUTE_SECONDS:
        return _("just now") if seconds >= 0 else _("in a moment")
    unit, text = next(one for one in AGE_UNITS if abs(seconds) >= one[0])
    values = {"span": text % {"count": abs(seconds) // unit}}
    return (_("%(span)s ago") if seconds > 0 else _("in %(span)s")) % values


@register.filter
def stored_text(text: str) -> str:
    """A sentence of a stored_texts.Template in the reader's language; any other text as it is."""
    return stored_texts.translate(text)


@register.filter
def short_moment(at: datetime | None) -> str:
    """ "3 Oct, 14:05", with its year where that isn't this one; "" for None."""
    return short_dates.short_moment(at) if at else ""


@register.filter
def short_day(day: date | None) -> str:
    """ "3 Oct", with its year where that isn't this one; "" for None."""
    return short_dates.short_day(day) if day else ""


@register.filter
def last_moment(until: datetime | None) -> str:
    """Until when something is valid: a day that counts to its end, or a day and a time; "" for None."""
    return short_dates.last_moment(until) if until else ""


@register.filter
def last_day(until: datetime | None) -> str:
    """The last day on which something is valid; "" for None."""
    return short_dates.last_day(until) if until else ""
