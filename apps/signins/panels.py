"""What sign-ins show on people's pages; importing this registers it there."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels
from apps.accounts.models import User
from apps.signins import calendar

#: Days from which a streak is worth showing to others.
SHOWN_FROM = 2


def card(request: HttpRequest, user: User) -> str:
    """Today's button and the streak, on my own page."""
    return render_to_string("signins/_card.html", {"glance": calendar.glance(user.pk)}, request)


def flame(request: HttpRequest, person: User) -> str:
    """A person's streak, beside their name."""
    streak = calendar.glance(person.pk).streak
    if streak < SHOWN_FROM:
        return ""
    return render_to_string("signins/_flame.html", {"streak": streak}, request)


panels.ME.register(card, order=10)
panels.PERSON_HEAD.register(flame, order=20)
