"""Reasons for refusing a check-in, a make-up or a month: HTTP status, error code, sentence."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.web.problems import Problem


@dataclass(frozen=True)
class Refusal:
    """One reason of the API's contract."""

    status: int
    code: str
    sentence: str | Promise

    def problem(self, retry_after: int | None = None) -> Problem:
        """The exception that the API answers as JSON and that pages show as a message."""
        return Problem(self.status, self.code, str(self.sentence), retry_after)


BAD_MONTH = Refusal(422, "bad_month", _("A month looks like 2026-11."))
BAD_DAY = Refusal(422, "bad_day", _("A day looks like 2026-11-03."))
FUTURE = Refusal(422, "future", _("Only a day that is over can be made up."))
TOO_OLD = Refusal(422, "too_old", _("Only the last 30 days can be made up."))
BEFORE_JOINING = Refusal(422, "too_old", _("That was before you joined."))
ALREADY_CHECKED_IN = Refusal(409, "already_signed", _("You checked in on that day."))
NONE_LEFT = Refusal(
    409, "none_left", _("Three days of that month are made up already: no more are possible.")
)
NO_POINTS = Refusal(409, "no_points", _("You don't have enough points for that."))
