"""Narrows a match by facets, opening hours and distance, and counts what each choice would leave."""

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import records
from apps.search.query import list_walks
from apps.search.query.list_walks import Choice, Condition, Conditions, Found, List, Near, Order
from apps.search.query.matching import Match, Scope
from apps.shops import shop_hours
from apps.shops.models import Shop
from apps.web import batches, characters, findable
from apps.web.findable import KINDS, Kind

OPEN_NOW, WITHIN = "open_now", "within_km"
#: How long the shops of a minute stay that are open in it, after a search read them, and how many one
#: command writes.
OPEN_SECONDS, READ_OPEN_SECONDS, OPEN_BATCH = 120, 180, 2_000
#: The best documents among which the shop is looked for that opens next.
MAX_OPENINGS = 200
#: Stands for a value that nothing has.
NO_VALUE = "?"
_VALUE = re.compile(r"[^{}\x00]{1,180}")
#: Values of all facets of a kind that are counted, the commonest first.
MAX_VALUES = 300
DISTANCES_KM = (1, 3, 5, 10)
#: Documents of all sets that are compared in one round trip: less than a millisecond of the server.
MAX_COMPARED = 4_000
#: The values of each facet and how many documents have them, the commonest first.
Values = Mapping[str, Mapping[str, int]]


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
    by_facet: dict[str, dict[str, int]] = {}
    raw = transport.execute(client.get(), ("ZREVRANGE", key, 0, MAX_VALUES - 1, "WITHSCORES"))
    for name, count in transport.scored(raw):
        facet, _, value = name.partition("=")
        by_facet.setdefault(facet, {})[value] = int(count)
    return by_facet


def resolve(filters: Filters, values: Values) -> Filters:
    """The same filters with values as the index writes them: "hangzhou" means "Hangzhou|杭州"."""
    return replace(
        filters,
        values={
            facet: [full for value in chosen for full in _full_values(value, values.get(facet, ()))]
            for facet, chosen in filters.values.items()
        },
    )


def _full_values(value: str, known: Iterable[str]) -> list[str]:
    if value in known or not _VALUE.fullmatch(value):
        return [value if value in known else NO_VALUE]
    wanted = characters.fold(value)
    named = [full for full in known if wanted in set(map(characters.fold, findable.split_pair(full)))]
    return named or [NO_VALUE]


def narrow(scope: Scope, match: Match, filters: Filters, values: Values) -> Conditions:
    """What finds the documents of a match that the filters let through."""
    wanted = [_any_of(scope, facet, chosen, values) for facet, chosen in filters.values.items() if chosen]
    if filters.open_now:
        wanted.append(Condition((Choice((_list_open(scope),)),)))
    near = filters.within_km is not None and build_near(scope, match, filters)
    return match.conditions.also(*wanted, near=near or None)


def build_near(scope: Scope, match: Match, filters: Filters) -> Near | None:
    """The place of the filters and the distance from it, None without one."""
    if not filters.near:
        return None
    places = List(keys.PLACES(kind=scope.kind, generation=scope.generation), match.documents)
    return Near(places, *filters.near, filters.within_km)


def count_facets(
    scope: Scope, match: Match, narrowed: Found, filters: Filters, values: Values
) -> dict[str, list[FacetCount]]:
    """The choices of each facet with their counts, the commonest first, of a scale the least.

    They are counted among the best documents; where there are more, they are estimates.
    """
    kind = KINDS.get(scope.kind)
    if kind is None or not match.total:
        return {}
    counts: dict[str, list[FacetCount]] = {}
    for facet, value, number in _Counting(scope, match, narrowed, filters, values).count_all(kind):
        is_chosen = _is_chosen(filters, facet, value)
        if number or (is_chosen and facet != OPEN_NOW):
            label = kind.label_facet(facet, value)
            counts.setdefault(facet, []).append(FacetCount(value, label, number, is_chosen))
        elif facet == OPEN_NOW:
            counts[facet] = [FacetCount(value, _describe_next_opening(match), 0, is_chosen)]
    return {facet: _sorted(kind, facet, some) if facet in values else some for facet, some in counts.items()}


class _Set(NamedTuple):
    """The set of the documents with a facet's value, of which those of `base` are counted.

    Without a key all of its `size` documents are there.
    """

    facet: str
    value: str
    base: Found
    key: str
    size: int

    @property
    def compared(self) -> int:
        """How many documents the server looks at, to count those in both."""
        return min(self.base.total, list_walks.MAX_KEPT, self.size) if self.key else 0


@dataclass(frozen=True)
class _Counting:
    """Counts what each choice would leave; `narrowed` are the documents that all filters let through."""

    scope: Scope
    match: Match
    narrowed: Found
    filters: Filters
    values: Values

    def count_all(self, kind: Kind) -> Iterator[tuple[str, str, int]]:
        """(facet, value, documents)."""
        for some in _slices(self._list_sets(kind)):
            commands = [("ZINTERCARD", 2, one.base.key, one.key) for one in some if one.key]
            replies = iter(transport.execute_many(client.get(), commands) if commands else ())
            for one in some:
                number = _scale(next(replies), one.base) if one.key else one.size
                yield one.facet, one.value, number
        if self.filters.near:
            yield from self._count_distances()

    def _list_sets(self, kind: Kind) -> Iterator[_Set]:
        """The sets of all values of the facets, and of what is open now."""
        everything = self.match.conditions.everything.key
        for facet in kind.facets:
            base, sizes = self._without(facet), self.values.get(facet, {})
            chosen = (one for one in self.filters.values.get(facet, ()) if one != NO_VALUE)
            visible = dict.fromkeys([*sizes, *chosen])
            # Of all documents the sizes are known already.
            names = [""] * len(visible) if base.key == everything else self.scope.facet(facet, visible)
            for value, key in zip(visible, names, strict=True):
                yield _Set(facet, value, base, key, sizes.get(value, 0))
        if kind.has_hours:
            found, base = _list_open(self.scope), self._without(OPEN_NOW)
            yield _Set(OPEN_NOW, "1", base, "" if base.key == everything else found.key, found.size)

    def _count_distances(self) -> Iterator[tuple[str, str, int]]:
        base = self._without(WITHIN)
        near = build_near(self.scope, self.match, self.filters.without(WITHIN))
        kept = List(base.key, min(base.total, list_walks.MAX_KEPT))
        key = self.scope.key("distances", base.key, near)
        found = list_walks.walk(
            key, Conditions(kept, near=near), Order(by_distance=True), look_at=list_walks.MAX_KEPT
        )
        wanted = _visible_distances(self.filters)
        commands = [("ZCOUNT", found.key, "-inf", kilometres) for kilometres in wanted]
        replies = transport.execute_many(client.get(), commands)
        for kilometres, number in zip(wanted, replies, strict=True):
            yield WITHIN, f"{kilometres:g}", _scale(number, base)

    def _without(self, facet: str) -> Found:
        """The documents that all filters but those of a facet let through."""
        if facet not in self.filters.names:
            return self.narrowed
        left = self.filters.without(facet)
        if not left.names:
            return Found(self.match.key, self.match.total)
        conditions = narrow(self.scope, self.match, left, self.values)
        return list_walks.walk(self.scope.key("without", facet), conditions)


def _scale(number: int, base: Found) -> int:
    """So many of the kept documents as a number of all that there are."""
    return round(number * base.total / list_walks.MAX_KEPT) if base.total > list_walks.MAX_KEPT else number


def _slices(sets: Iterable[_Set]) -> Iterator[list[_Set]]:
    """The sets in slices of at most MAX_COMPARED documents, one set at least."""
    some: list[_Set] = []
    compared = 0
    for one in sets:
        if some and compared + one.compared > MAX_COMPARED:
            yield some
            some, compared = [], 0
        some.append(one)
        compared += one.compared
    if some:
        yield some


def _any_of(scope: Scope, facet: str, chosen: Sequence[str], values: Values) -> Condition:
    sizes = values.get(facet, {})
    sets = zip(scope.facet(facet, chosen), chosen, strict=True)
    return Condition(tuple(Choice((List(key, sizes.get(value, 0), is_set=True),)) for key, value in sets))


def _sorted(kind: Kind, facet: str, counts: list[FacetCount]) -> list[FacetCount]:
    if facet in kind.scales:
        return sorted(counts, key=lambda one: one.value)
    return sorted(counts, key=lambda one: -one.number)


def _is_chosen(filters: Filters, facet: str, value: str) -> bool:
    if facet == OPEN_NOW:
        return filters.open_now
    if facet == WITHIN:
        return filters.within_km == float(value)
    return value in filters.values.get(facet, ())


def _list_open(scope: Scope) -> List:
    """The set of the shops that are open in this minute. No other kind has open things.

    prepare_open stores it beforehand while searches read it; else the first search of a minute does.
    """
    now = timezone.now()
    key = _name_open(scope.kind, now)
    kind = KINDS.get(scope.kind)
    if kind is None or not kind.has_hours:
        return List(key, is_set=True)
    commands = [("SCARD", key), ("EXPIRE", key, READ_OPEN_SECONDS)]
    size, _is_there = transport.execute_many(client.get(), commands)
    return List(key, int(size) or _store_open(scope.kind, now), is_set=True)


def prepare_open() -> None:
    """Store what is open in the next minute, if searches of this one asked for it: they needn't wait then.

    A shop whose hours are changed meanwhile follows a minute later.
    """
    now, redis = timezone.now(), client.get()
    following = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
    for name, kind in KINDS.items():
        was_read = kind.has_hours and int(redis.ttl(_name_open(name, now))) > OPEN_SECONDS
        if was_read and not redis.exists(_name_open(name, following)):
            _store_open(name, following)


def _name_open(kind: str, at: datetime) -> str:
    return keys.OPEN(kind=kind, minute=int(at.timestamp()) // 60)


def _store_open(kind: str, at: datetime) -> int:
    """Store the set of the shops that are open at a moment; returns their number."""
    redis, key = client.get(), _name_open(kind, at)
    listed = Shop.objects.open_to_public().filter(shop_hours.open_condition(at))
    size, filling = 0, keys.OPEN_TO_BE(kind=kind, token=secrets.token_hex(8))
    for some in batches.chunked(listed.values_list("pk", flat=True).iterator(OPEN_BATCH), OPEN_BATCH):
        # A process that dies on the way leaves nothing for long; RENAME keeps the expiry.
        members = map(records.encode_member, some)
        commands = [("SADD", filling, *members), ("EXPIRE", filling, OPEN_SECONDS)]
        size += int(transport.execute_many(redis, commands)[0])
    if size:
        redis.rename(filling, key)
    return size


def _describe_next_opening(match: Match) -> str:
    """ "the next opens 10:30", of the best documents of a match; "" where none is known to open."""
    best = transport.execute(client.get(), ("ZREVRANGE", match.key, 0, MAX_OPENINGS - 1))
    shop_ids = [records.decode_member(member) for member in best]
    rows = Shop.objects.filter(pk__in=shop_ids).only("schedule", "nearest_city_id")
    states = [state for shop in rows if (state := shop_hours.read_state(shop)).opens]
    if not states:
        return ""
    first = min(states, key=lambda state: state.opens or state.today)
    return _("the next opens %(time)s") % {"time": shop_hours.format_opening(first)}


def _visible_distances(filters: Filters) -> list[float]:
    chosen = set() if filters.within_km is None else {filters.within_km}
    return sorted({*map(float, DISTANCES_KM), *chosen})
