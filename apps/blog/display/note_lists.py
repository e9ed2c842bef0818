"""Lists of notes, hot ones, and of what is popular or was viewed, without what is gone or hidden."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.blog.display import note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.models import Note
from apps.shops.geo import cities
from apps.shops.lists import cards, rows
from apps.shops.lists.rows import ShopRow
from apps.shops.models import City, Shop
from apps.uv import popular, recent
from apps.web import paging

HOTTEST_FIRST = ["-heat", "-id"]
#: Of a short list for readers of one language so many times as many notes are looked at.
COMPARED_FACTOR = 4
Kind = Literal["shop", "note"]
#: Cards of the home page's panel of popular shops, and items of the API's list.
MAX_HOME_ITEMS, MAX_API_ITEMS = 8, 20
#: Ranked items fetched for each item shown, since some may be deleted.
OVERFETCH_FACTOR = 2
#: Ranked shops that one query reads to find those of a city.
MAX_COMPARED = 100


def page_context(
    request: HttpRequest, page: paging.Page[Note], *, city: City | None = None
) -> dict[str, Any]:
    """Return the context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    cards = note_rows.fetch([note.pk for note in page.items])
    return {"cards": cards} | next_page_context(request, page.next, city=city)


def next_page_context(
    request: HttpRequest, cursor: str | None, *, city: City | None = None
) -> dict[str, Any]:
    """Return next_url ("" on the last page), and more: whether this page continues another.

    The address of the next page says whose `city` list it is: the cookie may say another one by then.
    """
    query = request.GET.copy()
    query["cursor"] = cursor or ""
    if city and city.slug:
        query["city"] = city.slug
    next_url = f"{request.path}?{query.urlencode()}" if cursor else ""
    return {"next_url": next_url, "more": bool(request.GET.get("cursor"))}


def _query_by_heat() -> QuerySet[Note]:
    return Note.objects.published().only("heat")


def _query_by_time() -> QuerySet[Note]:
    return Note.objects.published().only("published_at")


#: Tab -> the query of its list, its order, and the types of what it is ordered by.
_LISTS: dict[str, tuple[Callable[[], QuerySet[Note]], list[str], list[type[paging.SortValue]]]] = {
    "": (_query_by_heat, HOTTEST_FIRST, [float, int]),
    "new": (_query_by_time, ["-published_at", "-id"], [str, int]),
}
#: Tab -> its list, compiled: GET /api/notes/hot is made for each reader (tests.bench.pages).
TABS = {
    tab: paging.CompiledPages(query, model=Note, order=order, types=types)
    for tab, (query, order, types) in _LISTS.items()
}


def list_page(tab: str = "", *, cursor: str | None = None, size: int = paging.PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of published notes; only ids and sort columns are loaded. BadCursor."""
    return TABS[tab].fetch(cursor, size)


def list_page_of(city: City, tab: str, *, cursor: str | None) -> paging.Page[Note]:
    """Return a page of the published notes about a city's shops, as `list_page` does of all. BadCursor."""
    if city.is_everywhere:
        return list_page(tab, cursor=cursor)
    query, order, types = _LISTS[tab]
    here = cities.shop_condition(city)
    return paging.fetch_page(
        query(), order=order, types=types, cursor=cursor, size=paging.PAGE_SIZE, condition=here
    )


def top_cards(many: int, city: City | None = None) -> list[NoteRow]:
    """Return the cards of hot notes about a city's shops, or about all, the hottest first.

    Of four times as many those in the active language come before the others: a reader can read them.
    """
    notes = Note.objects.published().only("pk").order_by(*HOTTEST_FIRST)
    hottest = paging.first_that(notes, cities.shop_condition(city), many * COMPARED_FACTOR)
    return note_rows.readable_first(note_rows.fetch([note.pk for note in hottest]))[:many]


@dataclass(frozen=True)
class Item:
    """A shop or note for a small card; `viewed_at` is set only in the list of recently viewed items."""

    kind: str
    id: int
    name: str
    about: str
    cover_url: str
    url: str
    viewed_at: datetime | None = None


def popular_items(kind: Kind, most: int) -> list[Item]:
    """Return at most `most` items, the most popular first; one round trip and at most two queries."""
    found = [
        recent.RecentObject(kind, object_id, 0)
        for object_id in popular.top_ids(kind, most * OVERFETCH_FACTOR)
    ]
    return _build_items(found)[:most]


def popular_shops(city: City, most: int) -> list[Item]:
    """Return a city's most viewed shops: one round trip, a query, more where few of the first are its."""
    ranked, found = popular.top_ids("shop", popular.MAX_RANKED_OBJECTS), list[ShopRow]()
    for start in range(0, len(ranked), MAX_COMPARED):
        some = ranked[start : start + MAX_COMPARED]
        listed = rows.fetch_listed(some)
        found += [listed[one] for one in some if one in listed and _is_in(city, listed[one])]
        if len(found) >= most:
            break
    return [Item(**facts) for facts in _list_shop_facts(found[:most])]


def _is_in(city: City, shop: ShopRow) -> bool:
    return city.is_everywhere or city.bounds.contains(shop.lat, shop.lng)


def shop_items(shop_ids: Sequence[int]) -> list[Item]:
    """Return the items of the listed shops among these, in this order; one query."""
    return _build_items([recent.RecentObject("shop", shop_id, 0) for shop_id in shop_ids])


def recent_items(owner: str) -> list[Item]:
    """Return the items that an owner viewed last, 25 at most; one round trip and at most three queries."""
    return _build_items(recent.newest(owner))


def _build_items(found: list[recent.RecentObject]) -> list[Item]:
    known = _load_shop_facts([one.object_id for one in found if one.kind == "shop"])
    known |= _load_note_facts([one.object_id for one in found if one.kind == "note"])
    seen = [(known.get((one.kind, one.object_id)), one.at) for one in found]
    return [Item(**facts, viewed_at=_to_datetime(at)) for facts, at in seen if facts]


def _load_shop_facts(ids: Sequence[int]) -> dict[tuple[str, int], dict[str, Any]]:
    found = rows.fetch_listed(ids)
    shops = [found[shop_id] for shop_id in ids if shop_id in found]
    return {("shop", facts["id"]): facts for facts in _list_shop_facts(shops)}


def _list_shop_facts(shops: Sequence[Shop | ShopRow]) -> list[dict[str, Any]]:
    covers = cards.cover_addresses(shops)
    return [_shop_facts(shop, cover) for shop, cover in zip(shops, covers, strict=True)]


def _shop_facts(shop: Shop | ShopRow, cover: str) -> dict[str, Any]:
    return {
        "kind": "shop",
        "id": shop.pk,
        "name": shop.name,
        "about": f"{shop.type.name} · {shop.area}",
        "cover_url": cover,
        "url": shop.get_absolute_url(),
    }


def _load_note_facts(ids: Sequence[int]) -> dict[tuple[str, int], dict[str, Any]]:
    if not ids:
        return {}
    notes = Note.objects.published().filter(pk__in=ids).select_related("shop")
    return {("note", note.pk): _note_facts(note) for note in notes.prefetch_related("photos")}


def _note_facts(note: Note) -> dict[str, Any]:
    photos = note.photos.all()
    return {
        "kind": "note",
        "id": note.pk,
        "name": note.title or note.shop.name,
        "about": _("Note on %(shop)s") % {"shop": note.shop.name},
        "cover_url": photos[0].card_url if photos else note.shop.cover_url,
        "url": note.get_absolute_url(),
    }


def _to_datetime(at: float) -> datetime | None:
    return datetime.fromtimestamp(at, UTC) if at else None
