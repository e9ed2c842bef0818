"""The orders of a generation by name: each document has a place in the order in which names are read."""

from collections.abc import Sequence

from apps.redis_kit.autocomplete.name_order import NameOrder, PlacedName
from apps.search import keys
from apps.search.index.records import Entry
from apps.web import readings
from apps.web.findable import KINDS


def put(kind: str, generation: int, entries: Sequence[Entry]) -> None:
    """Give these documents their places, each unless a newer version has one.

    Before the documents: a crash leaves a place too many, which the next try mends, and never one too few.
    """
    for name in _orders(kind):
        order = build_order(kind, generation, name)
        order.put([PlacedName(entry.member, entry.version, _key(entry, name)) for entry in entries])


def build_order(kind: str, generation: int, name: str) -> NameOrder:
    """The keys of one order; its places are an order as any other."""
    named = keys.generation_parts(kind, generation)
    return NameOrder(
        keys.NAME_RECORDS(order=name, **named),
        keys.NAMES(order=name, **named),
        keys.ORDER(order=name, **named),
    )


def _key(entry: Entry, name: str) -> str:
    """The key of a document, of one without a name too; "" for a removed one."""
    return (entry.name_keys.get(name) or readings.sort_key("")) if entry.record else ""


def _orders(kind: str) -> tuple[str, ...]:
    registered = KINDS.get(kind)
    return registered.name_orders if registered else ()
