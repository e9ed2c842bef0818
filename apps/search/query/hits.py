"""Turns ranked documents into hits that people read, from SQL's rows as they are now."""

from collections.abc import Collection, Sequence

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import generations, members
from apps.search.query.requests import Hit
from apps.search.text import marks
from apps.shops import areas
from apps.web.findable import KINDS, Shown


def show(
    kind: str,
    ranked: Sequence[int],
    words: Collection[str],
    *,
    near: tuple[float, float] | None,
    apart: Collection[int],
) -> list[Hit]:
    """The hits in order, without what was deleted or hidden since it was found, or is of people `apart`."""
    registered = KINDS.get(kind)
    if registered is None or not ranked:
        return []
    rows = registered.show(ranked)
    visible = {row_id: row for row_id, row in rows.items() if row.owner not in apart}
    places = _read_places(kind, ranked) if near else {}
    return [
        _build(kind, row_id, visible[row_id], words, near, places.get(row_id))
        for row_id in ranked
        if row_id in visible
    ]


def _build(
    kind: str,
    row_id: int,
    displayed: Shown,
    words: Collection[str],
    near: tuple[float, float] | None,
    place: tuple[float, float] | None,
) -> Hit:
    metres = round(areas.distance_metres(*near, *place)) if near and place else None
    title, snippet = marks.mark(displayed.title, words), marks.snippet(displayed.text, words)
    return Hit(kind, row_id, title, snippet, displayed.url, displayed.thing, metres)


def _read_places(kind: str, ids: Sequence[int]) -> dict[int, tuple[float, float]]:
    """(latitude, longitude) of the documents that have a place."""
    generation = generations.live(kind)
    if generation is None:
        return {}
    key = keys.PLACES(kind=kind, generation=generation)
    raw = transport.execute(client.get(), ("GEOPOS", key, *map(members.encode, ids)))
    return {
        number: (float(place[1]), float(place[0])) for number, place in zip(ids, raw, strict=True) if place
    }
