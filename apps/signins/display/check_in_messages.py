"""Messages after a check-in or a make-up, for the page, toasts and screen readers."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.signins.check_ins import CheckInResult
from apps.web import short_dates


def checked_in(result: CheckInResult) -> str:
    """The message after a check-in."""
    if not result.new:
        return _("You already checked in today.")
    return f"{streak_length(result.streak)} {points_won(result)}"


def made_up(result: CheckInResult) -> str:
    """The message after a make-up."""
    day = short_dates.short_day(result.day)
    message = _("%(day)s is made up.") % {"day": day} + " " + streak_length(result.streak)
    return f"{message} {points_won(result)}" if result.won else message


def streak_length(streak: int) -> str:
    """A streak of so many days as a sentence."""
    return ngettext("%(days)d day in a row.", "%(days)d days in a row.", streak) % {"days": streak}


def points_won(result: CheckInResult) -> str:
    """The points that a check-in won as a sentence."""
    won = {"points": result.won}
    return ngettext("You won %(points)d point.", "You won %(points)d points.", result.won) % won
