"""What pages show of saves: `{% load saves %}`."""

from typing import Any

from django import template

from apps.accounts.models import User
from apps.blog.models import Note
from apps.saves.display import buttons, pages
from apps.saves.subjects import Subject
from apps.shops.models import Shop
from apps.web.page_parts import page_part

register = template.Library()


@page_part(register, "saves/_button.html")
def save_button(saved: Shop | Note) -> dict[str, Any]:
    """`{% save_button shop %}`, also of a note: the button that saves it, the same for every reader."""
    return buttons.context(Subject("shop" if isinstance(saved, Shop) else "note", saved.pk))


@page_part(register, "saves/_person_lists.html")
def person_lists(person: User) -> dict[str, Any]:
    """`{% person_lists person %}`: a person's public lists."""
    return {"rows": pages.list_rows(person.pk, public_only=True)}
