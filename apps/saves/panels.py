"""What saves show on other apps' pages; importing this registers it."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels as people
from apps.accounts.models import User
from apps.blog import panels as notes
from apps.blog.models import Note
from apps.saves.display import buttons, pages
from apps.saves.subjects import Subject
from apps.shops import panels as shops
from apps.shops.models import Shop


def shop_button(request: HttpRequest, shop: Shop) -> str:
    """HTML of the button that saves a shop, the same for every reader."""
    return buttons.render_button(request, Subject("shop", shop.pk))


def note_button(request: HttpRequest, note: Note) -> str:
    """HTML of the button that collects a note, the same for every reader."""
    return buttons.render_button(request, Subject("note", note.pk))


def person_lists(request: HttpRequest, person: User) -> str:
    """HTML of a person's public lists; "" if there are none."""
    found = pages.list_rows(person.pk, public_only=True)
    return render_to_string("saves/_person_lists.html", {"rows": found}, request) if found else ""


shops.SHOP_ACTIONS.register(shop_button, order=10)
notes.NOTE_ACTIONS.register(note_button, order=10)
people.PERSON.register(person_lists, order=20)
