"""The links "Report" in the menu on people's pages; importing this module registers it."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels
from apps.accounts.models import User


def report_items(_request: HttpRequest, person: User) -> str:
    """HTML of the links that report a person and their picture."""
    return render_to_string("moderation/_person_items.html", {"person": person})


panels.PERSON_MENU.register(report_items, order=10)
