"""Reasons for refusing a check-in, a make-up or a month, and the parsers of days and months that refuse."""

import re
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.web.problems import Problem

#: yyyy-mm-dd in ASCII digits only; date.fromisoformat alone accepts many more forms of ISO 8601.
_DAY_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Refusal:
    """One reason of the API's contract."""

    status: int
    code: str
    sentence: str | Promise
    #: What of the request is wrong.
    field: str = ""

    def problem(self, retry_after: int | None = None) -> Problem:
        """The exception that the API answers as JSON and that pages show as a message."""
        return Problem(self.status, self.code, str(self.sentence), retry_after, field=self.field)


BAD_MONTH = Refusal(422, "bad_month", _("A month looks like 2026-11."), "month")
BAD_DAY = Refusal(422, "bad_day", _("A day looks like 2026-11-03."), "day")
FUTURE = Refusal(422, "future", _("Only a day that is over can be made up."), "day")
TOO_OLD = Refusal(422, "too_old", _("Only the last 30 days can be made up."), "day")
BEFORE_JOINING = Refusal(422, "too_old", _("That was before you joined."), "day")
ALREADY_CHECKED_IN = Refusal(409, "already_signed", _("You checked in on that day."))
NONE_LEFT = Refusal(
    409, "none_left", _("Three days of that month are made up already: no more are possible.")
)
NO_POINTS = Refusal(409, "no_points", _("You don't have enough points for that."))


def parse_month(text: str) -> date:
    """The first day of a month written like "2026-11"; raises Problem 422 bad_month."""
    return _parse_iso_day(f"{text}-01", BAD_MONTH)


def parse_day(text: str) -> date:
    """A day written like "2026-11-03"; raises Problem 422 bad_day."""
    return _parse_iso_day(text, BAD_DAY)


def _parse_iso_day(text: str, refusal: Refusal) -> date:
    try:
        if _DAY_PATTERN.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise refusal.problem()
