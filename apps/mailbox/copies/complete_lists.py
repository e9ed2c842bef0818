"""Lists in Redis that copy rows, filled by readers under a lease.

A reader takes a lease, reads the rows, and fills the list if the lease is still its own. A change deletes
the list and the lease after its commit. Deletions may arrive in any order, and rows that were read before a
commit are refused, so no copy stays older than SQL.
"""

import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from apps.redis_kit import client, scripts, transport
from apps.redis_kit.transport import Command

#: The first element of a list that may be empty: it is whole.
COMPLETE_MARK = "*"
COPY_TTL, LEASE_TTL = timedelta(days=7), timedelta(seconds=10)

FILL_LIST = scripts.Script("fill_list", package="apps.mailbox", reply=bool)
log = logging.getLogger(__name__)


class Copy(NamedTuple):
    """The keys of a list and of the lease to fill it; both are in one slot."""

    key: str
    lease: str


def take_leases(copies: Iterable[Copy]) -> str:
    """A token with which these lists may be filled; "" while Redis is away."""
    token, seconds = secrets.token_hex(8), int(LEASE_TTL.total_seconds())
    with suppress(*client.UNAVAILABLE):
        transport.execute_many(client.get(), [("SET", copy.lease, token, "EX", seconds) for copy in copies])
        return token
    return ""


def fill(contents: Mapping[Copy, Sequence[str]], token: str) -> int:
    """Fill the lists whose lease still has this token; returns their number."""
    seconds = int(COPY_TTL.total_seconds())
    calls: list[scripts.Call] = [
        ([copy.key, copy.lease], [token, seconds, *elements]) for copy, elements in contents.items()
    ]
    with suppress(*client.UNAVAILABLE):
        filled, _rest = FILL_LIST.call_many(client.get(), calls if token else [])
        return sum(filled)
    return 0


def forget(commands: Sequence[Command]) -> None:
    """Send commands that delete copies after a change; without Redis they stay until they are reconciled."""
    try:
        transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        log.warning("%d copies of mailboxes may be outdated: Redis is away", len(commands))
