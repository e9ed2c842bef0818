"""Panels for people's pages: the check-in card and the streak badge; importing this module registers them."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels
from apps.accounts.models import User
from apps.signins import calendars

#: Days from which a streak is worth showing to others.
MIN_STREAK_DAYS = 2


def check_in_card(request: HttpRequest, user: User) -> str:
    """HTML of the card on the user's own page: today's button and the streak."""
    return render_to_string(
        "signins/_check_in_card.html", {"today": calendars.summarize_today(user.pk)}, request
    )


def streak_badge(request: HttpRequest, person: User) -> str:
    """HTML of a person's streak beside their name; "" for a short one."""
    streak = calendars.summarize_today(person.pk).streak
    if streak < MIN_STREAK_DAYS:
        return ""
    return render_to_string("signins/_streak_badge.html", {"streak": streak}, request)


panels.ME.register(check_in_card, order=10)
panels.PERSON_HEAD.register(streak_badge, order=20)
