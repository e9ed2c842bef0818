"""Finds the documents that satisfy some conditions, a slice of a list at a time.

To intersect lists as wholes would keep the server for as long as the longest takes, and claims wait for it.
A slice takes it some tenths of a millisecond, however many documents there are, and others come between two
slices. The shortest list is walked; where it is long too, the list of the order, until enough are found.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from apps.redis_kit import client, scripts

#: Documents that a walk keeps, and as many as a search can page through.
MAX_KEPT = 1_000
#: Documents that a walk looks at; with more its total is an estimate.
MAX_WALKED = 10_000
#: Look-ups of a slice, and documents of it.
SLICE_LOOKUPS, MAX_SLICE = 250, 60
#: Look-ups that a document's place costs besides: two numbers are written out and read, and sines taken.
PLACE_LOOKUPS = 5
#: Lists that one command reads to put their documents together.
MAX_UNITED = 20
#: How long what was found stays of a search that ended before it could delete it.
KEPT_SECONDS = 60


class Slice(NamedTuple):
    """Where the next slice begins, -1 at the end; documents of the slice, and those that satisfy all."""

    next_begin: int
    looked_at: int
    found: int


UNITE_LISTS = scripts.Script("unite_lists", package="apps.search.query", reply=int)
WALK_SLICE = scripts.Script(
    "walk_slice", package="apps.search.query", reply=lambda raw: Slice(*map(int, raw))
)


class List(NamedTuple):
    """A sorted set of documents, or a set, and how many there are."""

    key: str
    size: int = 0
    is_set: bool = False


class Choice(NamedTuple):
    """Documents that are in all of the given lists; the factor of their weights."""

    lists: tuple[List, ...]
    factor: float = 1.0

    @property
    def shortest(self) -> List:
        return min(self.lists, key=lambda one: one.size)


class Condition(NamedTuple):
    """Documents of any of the given choices; the best one's weight counts so many times in the score."""

    choices: tuple[Choice, ...]
    weight: float = 0.0

    @property
    def size(self) -> int:
        """At most how many documents satisfy it."""
        return sum(choice.shortest.size for choice in self.choices)


class Range(NamedTuple):
    """Documents whose value in a list is between two."""

    list: List
    low: float
    high: float


class Near(NamedTuple):
    """Documents with a place, within kilometres of (latitude, longitude) or anywhere."""

    places: List
    lat: float
    lng: float
    within_km: float | None = None


class Local(NamedTuple):
    """Where the reader is: of documents that fit alike the near and well reviewed come first."""

    places: List
    votes: List
    lat: float
    lng: float


@dataclass(frozen=True)
class Order:
    """What kept documents are ordered by: the sum of their values in lists, or their distance.

    Without either it is how well they satisfy the conditions, with `local` also how near and well reviewed
    they are. `walked` is the list in whose order they come.
    """

    lists: tuple[tuple[List, float], ...] = ()
    by_distance: bool = False
    is_rising: bool = False
    walked: List | None = None
    local: Local | None = None


RELEVANCE = Order()


@dataclass(frozen=True)
class Conditions:
    """All of these; `everything` lists all documents. `unwanted` documents are in all lists of a tuple."""

    everything: List
    wanted: tuple[Condition, ...] = ()
    unwanted: tuple[tuple[List, ...], ...] = ()
    ranges: tuple[Range, ...] = ()
    near: Near | None = None

    @property
    def is_everything(self) -> bool:
        """Whether every document satisfies them."""
        return not (self.wanted or self.unwanted or self.ranges or self.near)

    def also(self, *wanted: Condition, near: Near | None = None) -> "Conditions":
        return replace(self, wanted=self.wanted + wanted, near=near or self.near)


class Found(NamedTuple):
    """The sorted set of the best documents, and how many there are in all: an estimate past MAX_WALKED."""

    key: str
    total: int


@dataclass
class _Plan:
    """The conditions as the script reads them: lists are numbers of its KEYS, from the third on."""

    conditions: Conditions
    order: Order
    lists: list[List] = field(default_factory=list)

    def number(self, one: List) -> int:
        if one not in self.lists:
            self.lists.append(one)
        return self.lists.index(one) + 3

    def encode(self, walked: List, **more: object) -> str:
        """The JSON; `more` are the parts that differ from one walked list to the next."""
        plan: dict[str, Any] = {
            "conditions": [self._encode(condition) for condition in self.conditions.wanted],
            "unwanted": [list(map(self.number, lists)) for lists in self.conditions.unwanted],
            "ranges": [
                {"list": self.number(one.list), "low": one.low, "high": one.high}
                for one in self.conditions.ranges
            ],
            "orders": [{"list": self.number(one), "weight": weight} for one, weight in self.order.lists],
            "by_distance": self.order.by_distance,
            "keeps_lowest": self.order.is_rising,
            "walks_up": self.order.is_rising and walked == self.order.walked,
        } | more
        if near := self.conditions.near:
            plan["near"] = {"list": self.number(near.places), "lat": near.lat, "lng": near.lng}
            plan["near"] |= {} if near.within_km is None else {"within_km": near.within_km}
        if local := self.order.local:
            plan["here"] = {"list": self.number(local.places), "votes": self.number(local.votes)}
            plan["here"] |= {"lat": local.lat, "lng": local.lng}
        self.number(walked)
        plan["is_set"] = [False, walked.is_set, *(one.is_set for one in self.lists)]
        return json.dumps(plan)

    def _encode(self, condition: Condition) -> dict[str, Any]:
        choices = [
            {"lists": list(map(self.number, choice.lists)), "factor": choice.factor}
            for choice in condition.choices
        ]
        return {"weight": condition.weight, "choices": choices}


class _Walked(NamedTuple):
    """A list to walk, and what of the plan is about it alone."""

    list: List
    more: dict[str, object]


def walk(
    key: str,
    conditions: Conditions,
    order: Order = RELEVANCE,
    *,
    keep: int = MAX_KEPT,
    look_at: int = MAX_WALKED,
) -> Found:
    """Store the best documents that satisfy the conditions under that key: `keep` of `look_at` at most."""
    plan = _Plan(conditions, order)
    walked = _choose_lists(conditions, order)
    in_order = [one.list for one in walked] == [order.walked]
    size = sum(one.list.size for one in walked)
    looked_at = found = 0
    for part in _slices(key, plan, walked, keep):
        looked_at += part.looked_at
        found += part.found
        if looked_at >= look_at or (in_order and found >= keep):
            return Found(key, max(found, round(found * size / looked_at)))
    return Found(key, found)


def unite(key: str, lists: Sequence[List]) -> int:
    """Store the documents of any given list under a key, by their greatest weight; returns their number.

    Of MAX_WALKED documents at most: those of the first lists, and of a list the heaviest.
    """
    total = 0
    for parts in _parts_of(lists):
        names = [key, *(one.key for one, _begin, _number in parts)]
        places = [number for _one, *begin_and_number in parts for number in begin_and_number]
        total = UNITE_LISTS(client.get(), keys=names, args=[KEPT_SECONDS, *places])
    return total


def _parts_of(lists: Sequence[List]) -> Iterator[list[tuple[List, int, int]]]:
    """(list, place in it, documents) of so many documents and lists as one command may read."""
    parts: list[tuple[List, int, int]] = []
    left, room = MAX_WALKED, MAX_SLICE
    for one in lists:
        begin = 0
        while begin < one.size and left:
            number = min(one.size - begin, room, left)
            parts.append((one, begin, number))
            begin, left, room = begin + number, left - number, room - number
            if not room or len(parts) == MAX_UNITED:
                yield parts
                parts, room = [], MAX_SLICE
    if parts:
        yield parts


def _slices(key: str, plan: _Plan, walked: Sequence[_Walked], keep: int) -> Iterator[Slice]:
    redis = client.get()
    for one in walked:
        text = plan.encode(one.list, **one.more)
        names = [key, one.list.key, *(other.key for other in plan.lists)]
        lookups = len(plan.lists) + (PLACE_LOOKUPS if plan.conditions.near else 0)
        count = max(10, min(MAX_SLICE, SLICE_LOOKUPS // lookups))
        begin = 0
        while begin >= 0:
            part = WALK_SLICE(redis, keys=names, args=[text, begin, count, keep, KEPT_SECONDS])
            yield part
            begin = part.next_begin


def _choose_lists(conditions: Conditions, order: Order) -> list[_Walked]:
    """The lists of the condition that the fewest satisfy, unless walking the order's list is shorter."""
    own, condition = min(
        enumerate(conditions.wanted, start=1), key=lambda one: one[1].size, default=(0, None)
    )
    in_order = order.walked or conditions.everything
    if condition is None or (condition.size > MAX_WALKED and order.walked):
        return [_Walked(in_order, {})]
    return [
        _Walked(choice.shortest, {"own": own, "turn": turn})
        for turn, choice in enumerate(condition.choices, start=1)
    ]
