"""What sign-ins show on people's pages; importing this registers it there."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels
from apps.accounts.models import User
from apps.signins import calendars

#: Days from which a streak is worth showing to others.
MIN_STREAK_DAYS = 2


def check_in_card(request: HttpRequest, user: User) -> str:
    """Today's button and the streak, on my own page."""
    return render_to_string(
        "signins/_check_in_card.html", {"glance": calendars.summarize_today(user.pk)}, request
    )


def streak_badge(request: HttpRequest, person: User) -> str:
    """A person's streak, beside their name."""
    streak = calendars.summarize_today(person.pk).streak
    if streak < MIN_STREAK_DAYS:
        return ""
    return render_to_string("signins/_streak_badge.html", {"streak": streak}, request)


panels.ME.register(check_in_card, order=10)
panels.PERSON_HEAD.register(streak_badge, order=20)
