"""What pages show of saves: `{% load saves %}`."""

from typing import Any

from django import template

from apps.accounts.models import User
from apps.blog.models import Note
from apps.saves import display
from apps.saves.models import Save
from apps.saves.subjects import Subject
from apps.shops.models import Shop
from apps.web.page_parts import page_part

register = template.Library()
#: Saved shops that a browser keeps for when the network is away.
MAX_OFFLINE_SHOPS = 50


@page_part(register, "saves/_button.html")
def save_button(saved: Shop | Note) -> dict[str, Any]:
    """`{% save_button shop %}`, also of a note: the button that saves it, the same for every reader."""
    return display.button_context(Subject("shop" if isinstance(saved, Shop) else "note", saved.pk))


@page_part(register, "saves/_person_lists.html")
def person_lists(person: User) -> dict[str, Any]:
    """`{% person_lists person %}`: a person's public lists."""
    return {"rows": display.list_rows(person.pk, public_only=True)}


@page_part(register, "saves/_count.html")
def saved_count(user: User) -> dict[str, Any]:
    """`{% saved_count user %}`: how many places and notes a person saved, with the link to them."""
    return {"number": Save.objects.filter(user=user).count()}


# Not a page part: without it the page must fail, since browsers keep what they get.
@register.inclusion_tag("saves/_offline_shops.html")
def offline_shops(person: User) -> dict[str, Any]:
    """`{% offline_shops person %}`: the shops that a person saved last, with what one needs to go there."""
    rows = Save.objects.of_kind("shop").filter(user=person).select_related("shop")
    newest = rows.order_by("-created_at", "-pk")[:MAX_OFFLINE_SHOPS]
    return {"shops": [row.shop for row in newest]}
