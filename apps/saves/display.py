"""What pages show of saves: tabs, rows, buttons, the choice of lists, and the page of a list."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import auth, redirects
from apps.adminkit import qr_codes
from apps.blog.display import note_lists, note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.models import Note
from apps.saves import saves, subjects
from apps.saves.models import MAX_NAME_LENGTH, ListEntry, Save, SaveList
from apps.saves.subjects import Kind, Subject, subject_of
from apps.shops.lists import cards, rows
from apps.shops.lists.cards import Card
from apps.web import htmx, paging
from apps.web.page_metadata import PageMetadata
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

#: The word of the query for each kind.
KINDS: dict[str, Kind] = {"shops": "shop", "notes": "note"}

_ORDER, _TYPES = ("-created_at", "-id"), (str, int)


class ChoicePage(NamedTuple):
    """The template's context, and the HTTP status to send it with."""

    context: dict[str, Any]
    status: int


class SavedItem(NamedTuple):
    """A shop or a note in a list, and when it came there."""

    subject: Subject
    saved_at: datetime


class SavedPage(NamedTuple):
    """Items, the newest first, and the cursor of the next page."""

    items: list[SavedItem]
    next: str | None


class SavedRow(NamedTuple):
    """What a page shows of an item: one of `shop` and `note`."""

    subject: Subject
    saved_at: datetime
    shop: Card | None = None
    note: NoteRow | None = None


class ListRow(NamedTuple):
    """A list with its numbers of shops and notes, and the picture of the newest of its shops, if any."""

    save_list: SaveList
    shops: int
    notes: int
    cover_url: str


def requested_tab(request: HttpRequest) -> str:
    """The tab of the person's own page: shops, notes or lists."""
    tab = request.GET.get("kind", "")
    return tab if tab in {*KINDS, "lists"} else "shops"


def requested_in_list(request: HttpRequest, row: ListRow) -> str:
    """The tab of a list: shops or notes, and of itself the one that has something."""
    tab = request.GET.get("kind", "")
    return tab if tab in KINDS else "notes" if row.notes and not row.shops else "shops"


def rows_context(request: HttpRequest, page: SavedPage) -> dict[str, Any]:
    """The context of `saves/_rows.html`."""
    return {"rows": build_rows(page.items)} | note_lists.next_page_context(request, page.next)


def render_button(
    request: HttpRequest, subject: Subject, *, saved: bool | None = None, swaps: bool = False
) -> str:
    """The button with the count, as the answer to a press; `saved` None: no person is known.

    With `swaps` it takes the place of the one on the page, wherever htmx's answer goes.
    """
    return render_to_string("saves/_button.html", button_context(subject, saved=saved, swaps=swaps), request)


def button_context(subject: Subject, *, saved: bool | None = None, swaps: bool = False) -> dict[str, Any]:
    """What `saves/_button.html` shows."""
    return {"subject": subject, "saved": saved, "count": saves.count(subject), "swaps": swaps}


def render_toggle(request: HttpRequest, subject: Subject, *, list_id: int = 0, undo: str = "") -> str:
    """The small button in a row of a list; with the URL `undo` the row was removed, and it comes back."""
    about = {"subject": subject, "list_id": list_id, "undo": undo}
    return render_to_string("saves/_toggle.html", about, request)


def choice_url(request: HttpRequest, subject: Subject) -> str:
    """The page on which lists are chosen, and which leads back to the one that was looked at."""
    query = urlencode({"next": redirects.requested_next(request)})
    return f"{reverse('saves:choose', args=subject)}?{query}"


def undo_url(request: HttpRequest, token: str) -> str:
    """Where a removal is undone, and the page that it leads back to; "" when nothing was removed."""
    if not token:
        return ""
    query = urlencode({"undo": token, "next": redirects.requested_next(request)})
    return f"{reverse('saves:undo')}?{query}"


def build_choice(
    request: HttpRequest, user_id: int, subject: Subject, *, error: Problem | ValidationError | None = None
) -> ChoicePage:
    """The person's lists, and which are chosen: as they are, or as a refused form has them. Problem 404."""
    subjects.require(subject)
    chosen = {parse_row_id(text) for text in request.POST.getlist("list")}
    if error is None:
        entries = ListEntry.objects.filter(saved__user=user_id, **_columns(subject))
        chosen = set(entries.values_list("list_id", flat=True))
    context = {
        "subject": subject,
        "rows": list_rows(user_id),
        "chosen": chosen,
        "name": request.POST.get("name", ""),
        "max_length": MAX_NAME_LENGTH,
        "error": _describe(error) if error else "",
        "next": _next_page(request, subject),
    }
    return ChoicePage(context, error.status if isinstance(error, Problem) else 422 if error else 200)


def _next_page(request: HttpRequest, subject: Subject) -> str:
    """Where the choice leads: where it was asked for, or the page of the shop or note."""
    if "next" in request.POST or "next" in request.GET:
        return redirects.requested_next(request)
    return redirects.current_page(request) if htmx.is_htmx(request) else subject.page_url


def _columns(subject: Subject) -> dict[str, int]:
    return {f"saved__{column}": pk for column, pk in subject.columns.items()}


def _describe(error: Problem | ValidationError) -> str:
    return error.detail if isinstance(error, Problem) else " ".join(error.messages)


def page_of_person(user_id: int, kind: Kind, *, cursor: str = "", size: int = paging.PAGE_SIZE) -> SavedPage:
    """A page of all that a person saved of a kind. BadCursor."""
    saved = Save.objects.of_kind(kind).filter(user=user_id)
    page = _fetch(saved, cursor, size)
    return SavedPage([SavedItem(subject_of(row), row.created_at) for row in page.items], page.next)


def page_of_list(found: SaveList, kind: Kind, *, cursor: str = "", size: int = paging.PAGE_SIZE) -> SavedPage:
    """A page of what a list has of a kind. BadCursor."""
    saved = ListEntry.objects.filter(list=found, saved__in=Save.objects.of_kind(kind))
    page = _fetch(saved.select_related("saved"), cursor, size)
    return SavedPage([SavedItem(subject_of(row.saved), row.created_at) for row in page.items], page.next)


def build_rows(items: Sequence[SavedItem]) -> list[SavedRow]:
    """What a page shows of the given items, in their order; a query for the shops and one for the notes."""
    shops = rows.fetch_listed([item.subject.pk for item in items if item.subject.kind == "shop"])
    notes = note_rows.fetch([item.subject.pk for item in items if item.subject.kind == "note"])
    shown_shops = dict(zip(shops, cards.build(shops.values()), strict=True))
    shown_notes = {note.pk: note for note in notes}
    built = [
        SavedRow(*item, shop=shown_shops.get(item.subject.pk))
        if item.subject.kind == "shop"
        else SavedRow(*item, note=shown_notes.get(item.subject.pk))
        for item in items
    ]
    return [row for row in built if row.shop or row.note]


def list_rows(owner_id: int, *, public_only: bool = False) -> list[ListRow]:
    """A person's lists, that with the newest save first; two queries for any number."""
    found = SaveList.objects.filter(owner=owner_id)
    return build_list_rows(found.filter(is_public=True) if public_only else found)


def build_list_rows(found: "QuerySet[SaveList]") -> list[ListRow]:
    """These lists with their numbers and pictures, that with the newest save first; two queries."""
    newest = ListEntry.objects.filter(list=OuterRef("pk"), saved__shop__is_listed=True)
    counted = found.annotate(
        shops=Count("entries", filter=Q(entries__saved__shop__is_listed=True)),
        notes=Count("entries", filter=Q(entries__saved__note__status=Note.Status.PUBLISHED)),
        saved_at=Coalesce(Max("entries__created_at"), F("created_at")),
        cover_id=Subquery(newest.order_by(*_ORDER).values("saved__shop_id")[:1]),
    )
    ordered = list(counted.select_related("owner").order_by("-saved_at", "-pk"))
    covers = rows.fetch_listed([one.cover_id for one in ordered if one.cover_id])
    return [
        ListRow(one, one.shops, one.notes, covers[one.cover_id].cover_url if one.cover_id in covers else "")
        for one in ordered
    ]


def _fetch(saved: "QuerySet[paging.Row]", cursor: str, size: int) -> "paging.Page[paging.Row]":
    return paging.fetch_page(saved, order=_ORDER, types=_TYPES, cursor=cursor, size=size)


def list_context(request: HttpRequest, found: SaveList) -> dict[str, Any]:
    """The context of `saves/list.html`; the same few queries for any number of rows."""
    (row,) = build_list_rows(SaveList.objects.filter(pk=found.pk))
    tab = requested_in_list(request, row)
    page = page_of_list(found, KINDS[tab], cursor=request.GET.get("cursor", ""))
    visible = rows_context(request, page)
    is_mine = auth.viewer_id(request) == found.owner_id
    about = {"list": found, "row": row, "tab": tab, "is_mine": is_mine, "removable": is_mine}
    about |= {"address": request.build_absolute_uri(found.get_absolute_url())}
    return about | visible | {"metadata": describe(row, visible["rows"])}


def share_context(request: HttpRequest, found: SaveList) -> dict[str, Any]:
    """The context of `parts/share_sheet.html`."""
    (row,) = build_list_rows(SaveList.objects.filter(pk=found.pk))
    card = {"title": found.name, "line": found.owner.nickname, "picture": row.cover_url}
    address = request.build_absolute_uri(found.get_absolute_url())
    return {"card": card, "address": address, "qr": qr_codes.render_svg(address)}


def form_values(found: SaveList) -> dict[str, Any]:
    """What the form of a list begins with."""
    return {"name": found.name, "description": found.description, "is_public": found.is_public}


def describe(row: ListRow, visible: list[SavedRow]) -> PageMetadata:
    """The metadata of a list's page: what it holds, whose it is, and its first picture that previews draw."""
    found = row.save_list
    description = _("%(name)s's list on %(site)s: %(places)s, %(notes)s.") % {
        "name": found.owner.nickname,
        "site": settings.SITE_NAME,
        "places": ngettext("%(n)d place", "%(n)d places", row.shops) % {"n": row.shops},
        "notes": ngettext("%(n)d note", "%(n)d notes", row.notes) % {"n": row.notes},
    }
    urls = [one.shop.content.url if one.shop else one.note.url if one.note else "" for one in visible]
    return PageMetadata(
        title=found.name,
        description=found.description or description,
        image=_first_picture(visible),
        data={
            "@type": "ItemList",
            "name": found.name,
            "url": found.get_absolute_url(),
            "itemListElement": [
                {"@type": "ListItem", "position": place, "url": url}
                for place, url in enumerate(urls, start=1)
            ],
        },
    )


def _first_picture(visible: list[SavedRow]) -> str:
    found = (one.shop.content.cover if one.shop else one.note.picture if one.note else "" for one in visible)
    return next((url for url in found if url and not url.endswith(".svg")), "")
