"""Puts a match in order, and keeps the best thousand documents for cursors that page through them."""

import secrets
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import records
from apps.search.query import filtering, list_walks, matching
from apps.search.query.filtering import Filters, Values
from apps.search.query.list_walks import Found, Order
from apps.search.query.matching import Match, Scope
from apps.web import findable, in_language
from apps.web.findable import KINDS, Kind

RELEVANCE, DISTANCE, MIX, NAME = "relevance", "distance", "mix", "name"
#: Orders whose first document has the lowest score.
ASCENDING = frozenset({"price", NAME, *in_language.columns(NAME), DISTANCE, "ends"})
#: Documents of a search that can be paged through.
MAX_RANKED = list_walks.MAX_KEPT
PAGES_SECONDS = 600
#: A vote is worth as much as being so much newer, when time and votes count alike (Redis in Action, 1.3.2).
SECONDS_A_VOTE = 43_200


class UnknownOrder(ValueError):
    """The kind has no such order, or it needs a place."""


class Ranked(NamedTuple):
    """The ids of the best documents in an order, at most MAX_RANKED, and what was found."""

    ids: list[int]
    found: Found


def rank(scope: Scope, match: Match, order: str, filters: Filters, values: Values, mix: int) -> Ranked:
    """The documents of a match that the filters let through, in an order; UnknownOrder."""
    if not match.total:
        return Ranked([], Found(match.key, 0))
    name, is_flipped = order.removeprefix("-"), order.startswith("-")
    name = _resolve(scope.kind, name, filters, has_words=bool(match.words))
    is_rising = (name in ASCENDING) != is_flipped
    near = filters.near if match.words else None
    wanted = _build_order(scope, match, name, mix, near, is_rising=is_rising)
    found = _find(scope, match, wanted, filters, values)
    ids = _read_ids(found.key, is_rising=is_rising)
    return Ranked(ids, found if filters.names else Found(match.key, match.total))


def _find(scope: Scope, match: Match, order: Order, filters: Filters, values: Values) -> Found:
    if not filters.names and match.conditions.is_everything and order.walked:
        # The order's own list has all documents.
        return Found(order.walked.key, match.total)
    if not filters.names and order == match.order:
        return Found(match.key, match.total)
    conditions = filtering.narrow(scope, match, filters, values)
    if order.by_distance:
        conditions = conditions.also(near=filtering.build_near(scope, match, filters))
    return list_walks.walk(scope.key("ranked", conditions, order), conditions, order)


def _read_ids(key: str, *, is_rising: bool) -> list[int]:
    direction = [] if is_rising else ["REV"]
    return list(
        map(
            records.decode_member,
            transport.execute(client.get(), ("ZRANGE", key, 0, MAX_RANKED - 1, *direction)),
        )
    )


def fold_same(
    kind: str, generation: int, ranked: Sequence[int], same_as: int | None = None, *, compared: int = 0
) -> dict[int, int]:
    """{id: how many later ones have its text} of the first of each text; with `same_as` all that have its.

    Of the first `compared` texts those in the active language come before the others.
    """
    found = KINDS.get(kind)
    if not (found and found.same_order and ranked):
        return dict.fromkeys(ranked, 0)
    key = keys.ORDER(kind=kind, generation=generation, order=found.same_order)
    wanted = [*ranked, *([same_as] if same_as else [])]
    values = transport.execute(client.get(), ("ZMSCORE", key, *map(records.encode_member, wanted)))
    if same_as:
        return {one: 0 for one, value in zip(ranked, values, strict=False) if value and value == values[-1]}
    first: dict[float | str, int] = {}
    more: dict[int, int] = {}
    readable = set()
    for one, value in zip(ranked, values, strict=True):
        number = float(value or 0)
        kept = first.setdefault(number or f"of {one}", one)
        more[kept] = more.get(kept, -1) + 1
        if number and findable.is_chinese_text(number) == in_language.is_chinese():
            readable.add(one)
    texts = list(more)
    leading = sorted(texts[:compared], key=lambda one: one not in readable)
    return {one: more[one] for one in leading + texts[compared:]}


def keep(kind: str, ranked: Sequence[int]) -> str:
    """Keep ranked ids for ten minutes under the name that is returned; "" when searches may keep no more."""
    if keys.SEARCHES_BUDGET.is_spent:
        return ""
    name = secrets.token_hex(8)
    packed = array("q", ranked).tobytes()
    transport.execute(client.get(), ("SET", keys.PAGES(kind=kind, digest=name), packed, "EX", PAGES_SECONDS))
    return name


def read_kept(kind: str, name: str) -> list[int]:
    """The ids that `keep` has kept under a name, for another ten minutes; none once they have expired."""
    key = keys.PAGES(kind=kind, digest=name)
    packed = transport.execute_binary(client.get(), ("GETEX", key, "EX", PAGES_SECONDS))
    return array("q", packed or b"").tolist()


def is_known(kind: str, order: str, filters: Filters) -> bool:
    """Whether a kind has an order, and the place that it needs."""
    try:
        _resolve(kind, order.removeprefix("-"), filters, has_words=True)
    except UnknownOrder:
        return False
    return True


def _resolve(kind_name: str, name: str, filters: Filters, *, has_words: bool) -> str:
    """The order's own name; without words relevance is the first order of the kind.

    By name is by the names that are read in the active language, when the kind has them in several.
    """
    kind = KINDS.get(kind_name)
    known = kind.orders if kind else ()
    if name == RELEVANCE:
        return name if has_words or not known else known[0]
    if kind and name == NAME:
        return _choose_name_order(kind)
    is_known = {DISTANCE: filters.near is not None, MIX: {"newest", "votes"} <= {*known}}.get(
        name, name in known
    )
    if not is_known:
        raise UnknownOrder(name)
    return name


def _choose_name_order(kind: Kind) -> str:
    english, chinese = in_language.columns(NAME)
    for name in (in_language.choose(english, chinese), NAME):
        if name in kind.name_orders:
            return name
    raise UnknownOrder(NAME)


def _build_order(
    scope: Scope, match: Match, name: str, mix: int, near: tuple[float, float] | None, *, is_rising: bool
) -> Order:
    if name == RELEVANCE:
        return matching.build_relevance(scope, match.documents, near, is_rising=is_rising)
    if name == DISTANCE:
        return Order(by_distance=True, is_rising=is_rising)
    if name == MIX:
        share = min(100, max(0, mix)) / 100
        newest, votes = (scope.order(one, match.documents) for one in ("newest", "votes"))
        return Order(((newest, 1 - share), (votes, share * SECONDS_A_VOTE)), is_rising=is_rising)
    one = scope.order(name, match.documents)
    return Order(((one, 1.0),), is_rising=is_rising, walked=one)
