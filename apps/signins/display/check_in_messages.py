"""What is said when a day is signed, on the page and by toasts and screen readers."""

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.signins.check_ins import CheckInResult


def checked_in(one: CheckInResult) -> str:
    """After a sign-in."""
    if not one.new:
        return _("You have signed in already today.")
    return f"{streak_length(one.streak)} {points_won(one)}"


def made_up(one: CheckInResult) -> str:
    """After a make-up."""
    day = date_format(one.day, "MONTH_DAY_FORMAT")
    told = _("%(day)s is made up.") % {"day": day} + " " + streak_length(one.streak)
    return f"{told} {points_won(one)}" if one.won else told


def streak_length(streak: int) -> str:
    return ngettext("%(days)d day in a row.", "%(days)d days in a row.", streak) % {"days": streak}


def points_won(one: CheckInResult) -> str:
    return ngettext("You won %(points)d point.", "You won %(points)d points.", one.won) % {"points": one.won}
