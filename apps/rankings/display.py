"""Rankings as pages and the API show them: places with the shops as they are now."""

from collections.abc import Iterable
from typing import NamedTuple

from apps.rankings import rankings
from apps.rankings.rankings import RankedShop
from apps.shops.lists import cards, rows
from apps.shops.lists.cards import Card
from apps.shops.lists.rows import ShopRow
from apps.shops.models import City, ShopType

#: Shops of each type on the page of all types.
MAX_TOP_SHOPS = 5


class Entry(NamedTuple):
    """A place and the card of its shop; `steps` is the size of the change."""

    place: RankedShop
    card: Card
    steps: int


class Section(NamedTuple):
    """A type and its best shops."""

    kind: ShopType
    entries: list[Entry]


def load_shops(city: City, type_id: int) -> list[tuple[RankedShop, ShopRow]]:
    """A city's ranking of one type, of the shops that are still listed; one round trip, one query."""
    return _with_shops(rankings.read(city).get(type_id, []))


def load_entries(city: City, type_id: int) -> list[Entry]:
    """The same with cards."""
    return _build_entries(load_shops(city, type_id))


def load_sections(city: City, kinds: Iterable[ShopType]) -> list[Section]:
    """The best shops of each type that has a ranking; one round trip, one query."""
    found = rankings.read(city)
    top = {kind.pk: found.get(kind.pk, [])[:MAX_TOP_SHOPS] for kind in kinds}
    shops = dict(_with_shops([place for places in top.values() for place in places]))
    sections = [
        Section(kind, _build_entries([(place, shops[place]) for place in top[kind.pk] if place in shops]))
        for kind in kinds
    ]
    return [section for section in sections if section.entries]


def _with_shops(places: list[RankedShop]) -> list[tuple[RankedShop, ShopRow]]:
    shops = rows.fetch_listed([place.shop_id for place in places])
    return [(place, shops[place.shop_id]) for place in places if place.shop_id in shops]


def _build_entries(ranked_rows: list[tuple[RankedShop, ShopRow]]) -> list[Entry]:
    built = cards.build(shop for _place, shop in ranked_rows)
    return [
        Entry(place, card, abs(place.change)) for (place, _shop), card in zip(ranked_rows, built, strict=True)
    ]
