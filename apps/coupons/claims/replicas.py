"""Waits until replicas of Redis have the claims that it accepted, where settings.SALE_REPLICAS asks for it.

A claim that too few replicas have in time stays accepted, since Redis takes nothing back. Its buyer hears
what an unknown decision says (503 busy), and the same request token hears of the order later.
"""

from typing import Any

from django.conf import settings

from apps.coupons import keys
from apps.redis_kit import client, transport
from apps.redis_kit.transport import AsyncTransport, Command, NotServingError

#: Milliseconds for the replicas; less than the deadline of a call, so that a late one ends no connection.
WAIT_MS = 200
#: Seconds since a replica's last word, of which it has one a second.
MAX_LAG_SECONDS = 5
_MARK_SECONDS = 60


def wait() -> None:
    """Return when enough replicas have all that was accepted before; else raise one of client.UNAVAILABLE."""
    _check(transport.execute_many(client.get(), _commands()))


async def await_copies(loop_transport: AsyncTransport) -> None:
    """`wait` for an event loop."""
    _check(await loop_transport.execute_many(_commands()))


def count_following() -> int:
    """How many replicas the server has that have spoken of late."""
    found = client.get().info("replication")
    each = [found[f"slave{number}"] for number in range(int(found["connected_slaves"]))]
    return sum(one["state"] == "online" and int(one["lag"]) <= MAX_LAG_SECONDS for one in each)


def _commands() -> list[Command]:
    # WAIT is about what its own connection wrote, and the claim may have come over another, or earlier.
    return [
        ("SET", keys.COPIED(), 1, "EX", _MARK_SECONDS),
        ("WAIT", settings.SALE_REPLICAS, WAIT_MS),
    ]


def _check(replies: list[Any]) -> None:
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    if replies[-1] < settings.SALE_REPLICAS:
        raise NotServingError(f"{replies[-1]} of {settings.SALE_REPLICAS} replicas have the accepted claims")
