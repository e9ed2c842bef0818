"""Slots on people's pages that higher apps fill, and the parts of the personal answer that accounts has."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts.models import User
from apps.accounts.personal.parts import PAGE_PARTS
from apps.accounts.personal.person_cards import PersonPart
from apps.accounts.personal.unread import UnreadPart
from apps.web.slots import Slot

#: In the menu beside the name: 10 the report, 20 the block.
PERSON_MENU: Slot[User] = Slot("person_menu")
#: Beside the name: 10 the follow button, 15 a message, 17 the menu, 20 the streak badge, 30 common follows.
PERSON_HEAD: Slot[User] = Slot("person_head")
#: Below: 10 notes.
PERSON: Slot[User] = Slot("person")
#: My own page, above the settings: 10 the check-in card, 20 my notes.
ME: Slot[User] = Slot("me")


def person_menu(request: HttpRequest, person: User) -> str:
    """HTML of the menu of what else one may do; the reader's own page doesn't show it."""
    return render_to_string("accounts/_person_menu.html", {"person": person}, request)


def block_item(_request: HttpRequest, person: User) -> str:
    """HTML of the link that asks whether to block a person."""
    return render_to_string("accounts/_block_item.html", {"person": person})


PERSON_HEAD.register(person_menu, order=17)
PERSON_MENU.register(block_item, order=20)
PAGE_PARTS.register(PersonPart(), key="person", order=10)
PAGE_PARTS.register(UnreadPart(), key="unread", order=20)
