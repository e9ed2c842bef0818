"""Narrows a match by facets, opening hours and distance, and counts what each choice would leave."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.utils import timezone

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.query.matching import RESULT_SECONDS, Match, Scope
from apps.shops import opening_hours
from apps.web import findable
from apps.web.findable import KINDS, Kind

#: The facet whose values are opening hours; a page shows "open now" instead.
HOURS, OPEN_NOW, WITHIN = "hours", "open_now", "within_km"
#: Stands for a value that nothing has.
NO_VALUE = "?"
_VALUE = re.compile(r"[^{}\x00]{1,180}")
#: Values of all facets of a kind that are counted, the commonest first.
MAX_VALUES = 300
DISTANCES_KM = (1, 3, 5, 10)
#: No two places on Earth are farther apart.
HALF_WAY_ROUND_KM = 20_020


#: The values of each facet, the commonest first.
Values = Mapping[str, Sequence[str]]


class FacetCount(NamedTuple):
    """A choice of a filter: how many hits it would leave, beside the other filters."""

    value: str
    label: str
    number: int
    is_chosen: bool


@dataclass(frozen=True)
class Filters:
    """Values by facet (any of them), open now, and within kilometres of a place (latitude, longitude)."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    open_now: bool = False
    near: tuple[float, float] | None = None
    within_km: float | None = None

    def without(self, facet: str) -> "Filters":
        values = {name: chosen for name, chosen in self.values.items() if name != facet}
        within = None if facet == WITHIN else self.within_km
        return Filters(values, self.open_now and facet != OPEN_NOW, self.near, within)

    @property
    def names(self) -> list[str]:
        """The facets with a choice."""
        chosen = [name for name, values in self.values.items() if values]
        chosen += [OPEN_NOW] if self.open_now else []
        return chosen + ([WITHIN] if self.within_km is not None and self.near else [])


def read_values(scope: Scope) -> Values:
    """The values of all facets of a kind, the commonest first; one round trip."""
    key = keys.VALUES(kind=scope.kind, generation=scope.generation)
    by_facet: dict[str, list[str]] = {}
    for raw in transport.execute(client.get(), ("ZREVRANGE", key, 0, MAX_VALUES - 1)):
        facet, _, value = raw.partition("=")
        by_facet.setdefault(facet, []).append(value)
    return by_facet


def resolve(filters: Filters, values: Values) -> Filters:
    """The same filters with values as the index writes them: "hangzhou" stands for "Hangzhou|杭州"."""
    return replace(
        filters,
        values={
            facet: [full for value in chosen for full in _full_values(value, values.get(facet, ()))]
            for facet, chosen in filters.values.items()
        },
    )


def _full_values(value: str, known: Sequence[str]) -> list[str]:
    if value in known or not _VALUE.fullmatch(value):
        return [value if value in known else NO_VALUE]
    wanted = value.casefold()
    named = [full for full in known if wanted in {name.casefold() for name in findable.split_pair(full)}]
    return named or [NO_VALUE]


def narrow(scope: Scope, match: Match, filters: Filters, values: Values) -> Match:
    """The match without what the filters exclude; the match itself without filters."""
    if not filters.names or not match.total:
        return match
    commands: list[transport.Command] = []
    target = _queue_narrowing(scope, match.key, filters, values, commands)
    *_done, total = transport.execute_many(client.get(), [*commands, ("ZCARD", target)])
    return Match(target, total, match.factor, match.words, match.dropped, match.corrections, match.counts)


def count_facets(
    scope: Scope, match: Match, narrowed: Match, filters: Filters, values: Values
) -> dict[str, list[FacetCount]]:
    """The choices of each facet with their counts, the commonest first, of a scale the least; one trip."""
    kind = KINDS.get(scope.kind)
    if kind is None or not match.total:
        return {}
    commands: list[transport.Command] = []
    wanted: list[tuple[str, str, int]] = []
    for facet in kind.facets:
        base = narrowed.key
        if facet in filters.names:
            base = _queue_narrowing(scope, match.key, filters.without(facet), values, commands)
        if facet == HOURS:
            _queue_open_now(scope, match.key, filters, values, commands, wanted)
            continue
        visible = dict.fromkeys(
            [*values.get(facet, ()), *(one for one in filters.values.get(facet, ()) if one != NO_VALUE)]
        )
        for value, key in zip(visible, scope.facet(facet, visible), strict=True):
            wanted.append((facet, value, len(commands)))
            commands.append(("ZINTERCARD", 2, base, key))
    _queue_distances(scope, match.key, filters, values, commands, wanted)
    replies = transport.execute_many(client.get(), commands)
    counts: dict[str, list[FacetCount]] = {}
    for facet, value, place in wanted:
        is_chosen = _is_chosen(filters, facet, value)
        if replies[place] or is_chosen:
            label = kind.label_facet(facet, value)
            counts.setdefault(facet, []).append(FacetCount(value, label, replies[place], is_chosen))
    return {facet: _sorted(kind, facet, some) if facet in values else some for facet, some in counts.items()}


def _sorted(kind: Kind, facet: str, counts: list[FacetCount]) -> list[FacetCount]:
    if facet in kind.scales:
        return sorted(counts, key=lambda one: one.value)
    return sorted(counts, key=lambda one: -one.number)


def queue_distances(scope: Scope, key: str, filters: Filters, commands: list[transport.Command]) -> str:
    """Commands for a sorted set of these documents by kilometres from the place; returns its key."""
    assert filters.near, "a place"
    lat, lng = filters.near
    places, target = scope.key("places", key), scope.key("distances", key, filters.near)
    all_places = keys.PLACES(kind=scope.kind, generation=scope.generation)
    # Positions of these documents alone, so that the search costs what they cost and not what a city does.
    commands.append(("ZINTERSTORE", places, 2, key, all_places, "WEIGHTS", 0, 1))
    commands.append(
        (
            "GEOSEARCHSTORE",
            target,
            places,
            "FROMLONLAT",
            lng,
            lat,
            "BYRADIUS",
            HALF_WAY_ROUND_KM,
            "km",
            "STOREDIST",
        )
    )
    commands += [("EXPIRE", name, RESULT_SECONDS) for name in (places, target)]
    return target


def _is_chosen(filters: Filters, facet: str, value: str) -> bool:
    if facet == OPEN_NOW:
        return filters.open_now
    if facet == WITHIN:
        return filters.within_km == float(value)
    return value in filters.values.get(facet, ())


def _queue_narrowing(
    scope: Scope, key: str, filters: Filters, values: Values, commands: list[transport.Command]
) -> str:
    """Commands for the documents of `key` that pass the filters; returns the key of the result."""
    sources = [key]
    for facet, chosen in filters.values.items():
        if chosen:
            sources.append(_queue_union(scope, scope.facet(facet, chosen), commands))
    if filters.open_now:
        sources.append(_queue_union(scope, _open_hours(scope, values), commands))
    if filters.near and filters.within_km is not None:
        distances = queue_distances(scope, key, filters, commands)
        near = scope.key("near", distances, filters.within_km)
        commands.append(("ZRANGESTORE", near, distances, "-inf", filters.within_km, "BYSCORE"))
        commands.append(("EXPIRE", near, RESULT_SECONDS))
        sources.append(near)
    if len(sources) == 1:
        return key
    target = scope.key("narrowed", sources)
    weights = [1, *[0] * (len(sources) - 1)]
    commands.append(("ZINTERSTORE", target, len(sources), *sources, "WEIGHTS", *weights))
    commands.append(("EXPIRE", target, RESULT_SECONDS))
    return target


def _queue_union(scope: Scope, names: Sequence[str], commands: list[transport.Command]) -> str:
    if len(names) == 1:
        return names[0]
    union = scope.key("union", *names)
    if names:
        commands.append(("ZUNIONSTORE", union, len(names), *names))
        commands.append(("EXPIRE", union, RESULT_SECONDS))
    return union


def _open_hours(scope: Scope, values: Values) -> list[str]:
    """The sets of the opening hours that a shop with them is open at now."""
    now = timezone.localtime()
    texts = values.get(HOURS, [])
    return scope.facet(
        HOURS, [text for text in texts if opening_hours.is_open(text.replace("_", " "), at=now)]
    )


def _queue_open_now(
    scope: Scope,
    key: str,
    filters: Filters,
    values: Values,
    commands: list[transport.Command],
    wanted: list[tuple[str, str, int]],
) -> None:
    others = _queue_narrowing(scope, key, filters.without(OPEN_NOW), values, commands)
    open_now = _queue_union(scope, _open_hours(scope, values), commands)
    wanted.append((OPEN_NOW, "1", len(commands)))
    commands.append(("ZINTERCARD", 2, others, open_now))


def _queue_distances(
    scope: Scope,
    key: str,
    filters: Filters,
    values: Values,
    commands: list[transport.Command],
    wanted: list[tuple[str, str, int]],
) -> None:
    if not filters.near:
        return
    others = _queue_narrowing(scope, key, filters.without(WITHIN), values, commands)
    distances = queue_distances(scope, others, filters, commands)
    for kilometres in _shown_distances(filters):
        wanted.append((WITHIN, f"{kilometres:g}", len(commands)))
        commands.append(("ZCOUNT", distances, "-inf", kilometres))


def _shown_distances(filters: Filters) -> Iterable[float]:
    chosen = set() if filters.within_km is None else {filters.within_km}
    return sorted({*map(float, DISTANCES_KM), *chosen})
