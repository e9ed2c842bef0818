"""What is said when a day is signed, on the page and by toasts and screen readers."""

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.signins.record import Signed


def signed(one: Signed) -> str:
    """After a sign-in."""
    if not one.new:
        return _("You have signed in already today.")
    return f"{in_a_row(one.streak)} {won(one)}"


def made_up(one: Signed) -> str:
    """After a make-up."""
    day = date_format(one.day, "MONTH_DAY_FORMAT")
    told = _("%(day)s is made up.") % {"day": day} + " " + in_a_row(one.streak)
    return f"{told} {won(one)}" if one.won else told


def in_a_row(streak: int) -> str:
    return ngettext("%(days)d day in a row.", "%(days)d days in a row.", streak) % {"days": streak}


def won(one: Signed) -> str:
    return ngettext("You won %(points)d point.", "You won %(points)d points.", one.won) % {"points": one.won}
