"""What pages show of check-ins: `{% load signins %}`."""

from typing import Any

from django import template

from apps.accounts.models import User
from apps.signins import calendars
from apps.web.page_parts import page_part

register = template.Library()
#: Days from which a streak is worth showing to others.
MIN_STREAK_DAYS = 2


@page_part(register, "signins/_check_in_card.html")
def check_in_card(user: User) -> dict[str, Any]:
    """`{% check_in_card user %}`: on the user's own page, today's button and the streak."""
    return {"today": calendars.summarize_today(user.pk)}


@page_part(register, "signins/_streak_badge.html")
def streak_badge(person: User) -> dict[str, Any]:
    """`{% streak_badge person %}`: a person's streak beside their name; nothing for a short one."""
    streak = calendars.summarize_today(person.pk).streak
    return {"streak": streak if streak >= MIN_STREAK_DAYS else None}
