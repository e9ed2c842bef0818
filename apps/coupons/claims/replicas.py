"""Waits until replicas of Redis have the claims that it accepted, where settings.SALE_REPLICAS asks for it.

A claim that too few replicas have in time stays accepted, since Redis takes nothing back. Its buyer hears
what an unknown decision says (503 busy), and the same request token hears of the order later.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Any, NamedTuple

from django.conf import settings

from apps.coupons import keys
from apps.redis_kit import client
from apps.redis_kit.breaker import NotServingError
from apps.redis_kit.transport import AsyncTransport, Command

#: Milliseconds for the replicas; less than the deadline of a call, so that a late one ends no connection.
WAIT_MS = 200
#: Seconds since a replica's last word, of which it has one a second.
MAX_LAG_SECONDS = 5
_MARK_SECONDS = 60


class Accepted(NamedTuple):
    """A claim that Redis has accepted, and how many one person may have of its sale."""

    voucher_id: int
    user_id: int
    order_id: int | None
    per_person: int = 1


async def await_copies(transport: AsyncTransport, accepted: Iterable[Accepted]) -> None:
    """Return when enough replicas have these claims; else raise one of client.UNAVAILABLE."""
    by_sale = attrgetter("voucher_id")
    sales = [list(claims) for _, claims in groupby(sorted(accepted, key=by_sale), key=by_sale)]
    _check(sales, await transport.execute_many(_commands(sales)))


def count_following() -> int:
    """How many replicas the server has that have spoken of late."""
    found = client.get().info("replication")
    each = [found[f"slave{number}"] for number in range(int(found["connected_slaves"]))]
    return sum(one["state"] == "online" and int(one["lag"]) <= MAX_LAG_SECONDS for one in each)


def _commands(sales: Sequence[Sequence[Accepted]]) -> list[Command]:
    # Another server may be the master by now, so it says whether it has the orders. WAIT is about what its
    # own connection wrote, and the claims may have come over another, or earlier: the mark comes after them.
    reads: list[Command] = [
        ("HMGET", keys.for_sale(claims[0].voucher_id).buyers, *chain.from_iterable(map(_fields, claims)))
        for claims in sales
    ]
    mark: Command = ("SET", keys.COPIED(), 1, "EX", _MARK_SECONDS)
    return [*reads, mark, ("WAIT", settings.SALE_REPLICAS, WAIT_MS)]


def _fields(claim: Accepted) -> list[str]:
    """Where the order may be: at any of the person's pieces."""
    return [keys.buyers_field(claim.user_id, piece) for piece in range(claim.per_person)]


def _check(sales: Sequence[Sequence[Accepted]], replies: list[Any]) -> None:
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    *positions, _, copies = replies
    for claims, entries in zip(sales, positions, strict=True):
        unread = iter(entries)
        for claim in claims:
            own = {str(entry).partition(":")[0] for entry in islice(unread, claim.per_person)}
            if str(claim.order_id) not in own:
                raise NotServingError("the server that answers now has not got the accepted claims")
    if copies < settings.SALE_REPLICAS:
        raise NotServingError(f"{copies} of {settings.SALE_REPLICAS} replicas have the accepted claims")
