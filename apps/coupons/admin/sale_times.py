"""Form fields for a sale's begin and end in the site's time zone."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.widgets import INPUT_CLASSES

CHOSEN_TIME = "chosen"
BEGINS_CHOICES = [
    ("10", _("in 10 minutes")),
    ("60", _("in 1 hour")),
    ("20:00", _("at the next 20:00")),
    ("10:00", _("at the next 10:00")),
    ("0", _("at once")),
    (CHOSEN_TIME, _("at a time I choose")),
]
DURATION_CHOICES = [
    ("15", _("15 minutes")),
    ("30", _("30 minutes")),
    ("60", _("1 hour")),
    ("120", _("2 hours")),
    ("1440", _("1 day")),
    (CHOSEN_TIME, _("until a time I choose")),
]


class LocalDateTimeField(forms.DateTimeField):
    """A date and time in the site's time zone, by the browser's own picker."""

    def __init__(self, **options: Any) -> None:
        attrs = {"type": "datetime-local", "class": " ".join(INPUT_CLASSES)}
        options.setdefault("widget", forms.DateTimeInput(attrs=attrs, format="%Y-%m-%dT%H:%M"))
        super().__init__(**options)
        self.error_messages["invalid"] = _("Choose a date and a time.")


def resolve_begins_at(choice: str, *, now: datetime) -> datetime:
    """The moment of a choice of BEGINNINGS other than CHOSEN."""
    if choice.isdigit():
        return now + timedelta(minutes=int(choice))
    hour = int(choice.partition(":")[0])
    local = timezone.localtime(now)
    today = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return today if today > local else today + timedelta(days=1)
