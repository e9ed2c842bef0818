"""The hot copies of log-ins in Redis: what a request reads. SQL stays the truth, each copy one read away."""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from apps.accounts import keys
from apps.redis_kit import client, scripts, wires

#: Idle copies leave memory after a day; SQL brings them back at the next use.
COPY_TTL = timedelta(days=1)
#: A write per request would cost more than a minute's precision is worth.
SLIDE_EVERY = timedelta(minutes=1)
#: last_seen_at and expires_at in SQL; also the longest that a copy can be wrong about SQL.
RENEW_EVERY = timedelta(hours=1)
#: Longer than any request can take between its SQL read and its fill.
REVOKED_TTL = timedelta(hours=1)
UNKNOWN_TTL = timedelta(minutes=1)
PIPELINE_SIZE = 1_000
logger = logging.getLogger(__name__)


class State(IntEnum):
    """What resolve_token.lua found."""

    ABSENT = 0
    LIVE = 1
    DUE = 2
    REFUSED = 3


class Copy(NamedTuple):
    """A found copy; both ids are 0 unless it is LIVE or DUE."""

    state: State
    user_id: int = 0
    token_id: int = 0


_ABSENT, _REFUSED = Copy(State.ABSENT), Copy(State.REFUSED)
#: A sale reads very many copies, and Python 3.11 is slow to look a member up.
_LIVE, _DUE = State.LIVE, State.DUE


def _copy(said: str | None) -> Copy:
    if said is None:
        return _ABSENT
    if said == "gone":
        return _REFUSED
    user_id, token_id, due, _ = said.split(":")
    return Copy(_DUE if due == "0" else _LIVE, int(user_id), int(token_id))


def _copies(raw: Sequence[str | None]) -> list[Copy]:
    return [_copy(said) for said in raw]


RESOLVE = scripts.Script("resolve_token", package="apps.accounts", reply=_copies)
FILL = scripts.Script("fill_token", package="apps.accounts", reply=bool)
REFUSE = scripts.Script("refuse_token", package="apps.accounts", reply=bool)
#: The last three arguments of fill_token.lua, and all of resolve_token.lua.
_LIVES = tuple(int(each.total_seconds()) for each in (COPY_TTL, SLIDE_EVERY, RENEW_EVERY))


def look(digest: str) -> Copy:
    """Find and renew a copy; one round trip."""
    return RESOLVE(client.get(), keys=[keys.TOKEN(digest=digest)], args=_LIVES)[0]


def batch(digests: Sequence[str]) -> scripts.Call:
    """(keys, args) of RESOLVE."""
    return keys.TOKEN.many("digest", digests), _LIVES


async def alook(wire: wires.Wire, digests: Sequence[str]) -> list[Copy]:
    """Find and renew many copies in one exchange: a call for all, or on a cluster one for each."""
    calls = [batch([digest]) for digest in digests] if wire.is_cluster else [batch(digests)]
    return list(chain.from_iterable(await RESOLVE.aeach(wire, calls)))


def fill(digest: str, *, user_id: int, token_id: int) -> bool:
    """Make a copy of a live log-in; False when it has been revoked. Without Redis there is no copy."""
    try:
        return FILL(client.get(), keys=[keys.TOKEN(digest=digest)], args=[user_id, token_id, *_LIVES])
    except client.UNAVAILABLE:
        return True


def fill_many(rows: Sequence[tuple[str, int, int]]) -> None:
    """Copies of many live log-ins, as (digest, user id, token id)."""
    for start in range(0, len(rows), PIPELINE_SIZE):
        with client.get().pipeline(transaction=False) as pipe:
            for digest, user_id, token_id in rows[start : start + PIPELINE_SIZE]:
                FILL.queue(pipe, keys=[keys.TOKEN(digest=digest)], args=[user_id, token_id, *_LIVES])
            pipe.execute()


def mark_unknown(digest: str) -> None:
    """Spare SQL the next questions about a token that it does not know."""
    _mark([digest], "unknown", UNKNOWN_TTL)


def bury(digests: Iterable[str]) -> None:
    """Refuse revoked log-ins in every process at once, slow fillers included."""
    _mark(digests, "revoked", REVOKED_TTL)


def _mark(digests: Iterable[str], why: str, ttl: timedelta) -> None:
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for digest in digests:
                REFUSE.queue(pipe, keys=[keys.TOKEN(digest=digest)], args=[why, int(ttl.total_seconds())])
            pipe.execute()
    except client.UNAVAILABLE:
        logger.warning("Redis is away: %s log-ins are marked by the next tokens.bury_recent", why)
