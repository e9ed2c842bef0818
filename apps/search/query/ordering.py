"""Puts a match in order, and keeps the best thousand documents for cursors that page through them."""

import secrets
from array import array
from collections.abc import Sequence

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import members
from apps.search.query.filtering import Filters, queue_distances
from apps.search.query.matching import RESULT_SECONDS, Match, Scope
from apps.web import in_language
from apps.web.findable import KINDS, Kind

RELEVANCE, DISTANCE, MIX, NAME = "relevance", "distance", "mix", "name"
#: Orders whose first document has the lowest score.
ASCENDING = frozenset({"price", NAME, *in_language.columns(NAME), DISTANCE, "ends"})
#: Documents of a search that can be paged through.
MAX_RANKED = 1_000
PAGES_SECONDS = 600
#: A vote is worth as much as being so much newer, when time and votes count alike (Redis in Action, 1.3.2).
SECONDS_A_VOTE = 43_200


class UnknownOrder(ValueError):
    """The kind has no such order, or it needs a place."""


def rank(scope: Scope, match: Match, order: str, filters: Filters, mix: int) -> list[int]:
    """The ids of the best documents of a match in an order, at most MAX_RANKED; UnknownOrder."""
    name, is_flipped = order.removeprefix("-"), order.startswith("-")
    name = _resolve(scope.kind, name, filters, has_words=bool(match.words))
    commands: list[transport.Command] = []
    source = _queue_order(scope, match.key, name, filters, mix, commands)
    direction = ["REV"] if (name not in ASCENDING) != is_flipped else []
    commands.append(("ZRANGE", source, 0, MAX_RANKED - 1, *direction))
    *_done, found = transport.execute_many(client.get(), commands)
    return list(map(members.decode, found))


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


def _queue_order(
    scope: Scope, key: str, name: str, filters: Filters, mix: int, commands: list[transport.Command]
) -> str:
    """Commands for the documents by an order; returns the key of the sorted set."""
    if name == RELEVANCE:
        return key
    ordered = scope.key("ordered", key, name, filters.near, mix)
    if name == MIX:
        share = min(100, max(0, mix)) / 100
        sources = [key, scope.order("newest"), scope.order("votes")]
        weights = [0.0, 1 - share, share * SECONDS_A_VOTE]
    elif name == DISTANCE:
        sources, weights = [key, queue_distances(scope, key, filters, commands)], [0.0, 1.0]
    else:
        sources, weights = [key, scope.order(name)], [0.0, 1.0]
    commands.append(("ZINTERSTORE", ordered, len(sources), *sources, "WEIGHTS", *weights))
    commands.append(("EXPIRE", ordered, RESULT_SECONDS))
    return ordered
