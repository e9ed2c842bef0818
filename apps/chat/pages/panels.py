"""The button "Message" on people's pages; importing this module registers it."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels
from apps.accounts.models import User


def message_button(_request: HttpRequest, person: User) -> str:
    """HTML of the button; the reader's own page doesn't show it."""
    return render_to_string("chat/_message_button.html", {"person": person})


panels.PERSON_HEAD.register(message_button, order=15)
