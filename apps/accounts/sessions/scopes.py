"""What a program's token may do: scopes, which are part of the token's text.

    savor_pat_rwo_<43 letters>.<user id>

The stored digest covers the whole text, so a scope can't be added to a token. A request then knows
its scopes before it asks Redis or SQL. Log-ins have every scope.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

#: What a program's token begins with, and no log-in's; secret scanners find one in a log by it.
PREFIX = "savor_pat_"
_SIGNS_PATTERN = re.compile(rf"{PREFIX}([rwos]{{1,4}})_")


class Scope(StrEnum):
    """`read` all that isn't an order, `write` it, all about `orders`, and the `operations` of staff."""

    READ = "read"
    WRITE = "write"
    ORDERS = "orders"
    OPERATIONS = "operations"


ABBREVIATIONS = {Scope.READ: "r", Scope.WRITE: "w", Scope.ORDERS: "o", Scope.OPERATIONS: "s"}
ALL = frozenset(Scope)


def find(raw: str) -> frozenset[Scope]:
    """The scopes of a raw token; every scope for a log-in."""
    if not raw.startswith(PREFIX):
        return ALL
    match = _SIGNS_PATTERN.match(raw)
    return frozenset(scope for scope, sign in ABBREVIATIONS.items() if match and sign in match[1])


def build_prefix(scopes: Iterable[Scope]) -> str:
    """What a token with these scopes begins with."""
    chosen = set(scopes)
    return f"{PREFIX}{''.join(sign for scope, sign in ABBREVIATIONS.items() if scope in chosen)}_"
