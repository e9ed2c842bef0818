"""Waits until replicas of Redis have the claims that it accepted, where settings.SALE_REPLICAS asks for it.

A claim that too few replicas have in time stays accepted, since Redis takes nothing back. Its buyer hears
what an unknown decision says (503 busy), and the same request token hears of the order later.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

from django.conf import settings

from apps.coupons import keys
from apps.redis_kit import client
from apps.redis_kit.transport import AsyncTransport, Command, NotServingError

#: Milliseconds for the replicas; less than the deadline of a call, so that a late one ends no connection.
WAIT_MS = 200
#: Seconds since a replica's last word, of which it has one a second.
MAX_LAG_SECONDS = 5
_MARK_SECONDS = 60
#: Voucher id -> user id -> order id.
OrdersBySale = dict[int, dict[int, int | None]]


class Accepted(NamedTuple):
    """A claim that Redis has accepted."""

    voucher_id: int
    user_id: int
    order_id: int | None


async def await_copies(transport: AsyncTransport, accepted: Iterable[Accepted]) -> None:
    """Return when enough replicas have these claims; else raise one of client.UNAVAILABLE."""
    orders = _by_sale(accepted)
    _check(orders, await transport.execute_many(_commands(orders)))


def count_following() -> int:
    """How many replicas the server has that have spoken of late."""
    found = client.get().info("replication")
    each = [found[f"slave{number}"] for number in range(int(found["connected_slaves"]))]
    return sum(one["state"] == "online" and int(one["lag"]) <= MAX_LAG_SECONDS for one in each)


def _by_sale(accepted: Iterable[Accepted]) -> OrdersBySale:
    orders: OrdersBySale = {}
    for claim in accepted:
        orders.setdefault(claim.voucher_id, {})[claim.user_id] = claim.order_id
    return orders


def _commands(orders: OrdersBySale) -> list[Command]:
    # Another server may be the master by now, so it says whether it has the orders. WAIT is about what its
    # own connection wrote, and the claims may have come over another, or earlier: the mark comes after them.
    reads: list[Command] = [
        ("HMGET", keys.for_sale(voucher_id).buyers, *buyers) for voucher_id, buyers in orders.items()
    ]
    mark: Command = ("SET", keys.COPIED(), 1, "EX", _MARK_SECONDS)
    return [*reads, mark, ("WAIT", settings.SALE_REPLICAS, WAIT_MS)]


def _check(orders: OrdersBySale, replies: list[Any]) -> None:
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    *positions, _, copies = replies
    wanted = chain.from_iterable(buyers.values() for buyers in orders.values())
    if any(
        str(entry).partition(":")[0] != str(order_id)
        for entry, order_id in zip(chain.from_iterable(positions), wanted, strict=True)
    ):
        raise NotServingError("the server that answers now has not got the accepted claims")
    if copies < settings.SALE_REPLICAS:
        raise NotServingError(f"{copies} of {settings.SALE_REPLICAS} replicas have the accepted claims")
