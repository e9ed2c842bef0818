"""The hot copies of log-ins in Redis: what a request reads. SQL stays the truth, each copy one read away."""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from apps.accounts import keys
from apps.redis_kit import client, scripts
from apps.redis_kit.transport import AsyncTransport

#: Idle copies leave memory after a day; SQL brings them back at the next use.
COPY_TTL = timedelta(days=1)
#: A write per request would cost more than a minute's precision is worth.
SLIDE_INTERVAL = timedelta(minutes=1)
#: last_seen_at and expires_at in SQL; also the longest that a copy can be wrong about SQL.
SQL_RENEW_INTERVAL = timedelta(hours=1)
#: Longer than any request can take between its SQL read and its fill.
REVOKED_TTL = timedelta(hours=1)
UNKNOWN_TTL = timedelta(minutes=1)
MAX_PIPELINE_SIZE = 1_000
logger = logging.getLogger(__name__)


class CopyState(IntEnum):
    """What resolve_token.lua found."""

    ABSENT = 0
    LIVE = 1
    DUE = 2
    REFUSED = 3


class TokenCopy(NamedTuple):
    """A found copy; both ids are 0 unless it is LIVE or DUE."""

    state: CopyState
    user_id: int = 0
    token_id: int = 0


_ABSENT_COPY, _REFUSED_COPY = TokenCopy(CopyState.ABSENT), TokenCopy(CopyState.REFUSED)
#: A sale reads very many copies, and Python 3.11 is slow to look a member up.
_LIVE, _DUE = CopyState.LIVE, CopyState.DUE


def _parse_copy(said: str | None) -> TokenCopy:
    if said is None:
        return _ABSENT_COPY
    if said == "gone":
        return _REFUSED_COPY
    user_id, token_id, due, _ = said.split(":")
    return TokenCopy(_DUE if due == "0" else _LIVE, int(user_id), int(token_id))


def _parse_copies(raw: Sequence[str | None]) -> list[TokenCopy]:
    return [_parse_copy(said) for said in raw]


RESOLVE_TOKEN = scripts.Script("resolve_token", package="apps.accounts.sessions", reply=_parse_copies)
FILL_TOKEN = scripts.Script("fill_token", package="apps.accounts.sessions", reply=bool)
REFUSE_TOKEN = scripts.Script("refuse_token", package="apps.accounts.sessions", reply=bool)
#: The last three arguments of fill_token.lua, and all of resolve_token.lua.
_LIFETIME_ARGS = tuple(int(each.total_seconds()) for each in (COPY_TTL, SLIDE_INTERVAL, SQL_RENEW_INTERVAL))


def find(digest: str) -> TokenCopy:
    """Find and renew a copy; one round trip."""
    return RESOLVE_TOKEN(client.get(), keys=[keys.TOKEN(digest=digest)], args=_LIFETIME_ARGS)[0]


def resolve_call(digests: Sequence[str]) -> scripts.Call:
    """(keys, args) of RESOLVE."""
    return keys.TOKEN.build_many("digest", digests), _LIFETIME_ARGS


async def find_many_async(transport: AsyncTransport, digests: Sequence[str]) -> list[TokenCopy]:
    """Find and renew many copies in one exchange: a call for all, or on a cluster one for each."""
    calls = (
        [resolve_call([digest]) for digest in digests] if transport.is_cluster else [resolve_call(digests)]
    )
    return list(chain.from_iterable(await RESOLVE_TOKEN.acall_many(transport, calls)))


def fill(digest: str, *, user_id: int, token_id: int) -> bool:
    """Make a copy of a live log-in; False when it has been revoked. Without Redis there is no copy."""
    try:
        return FILL_TOKEN(
            client.get(), keys=[keys.TOKEN(digest=digest)], args=[user_id, token_id, *_LIFETIME_ARGS]
        )
    except client.UNAVAILABLE:
        return True


def fill_many(rows: Sequence[tuple[str, int, int]]) -> None:
    """Copies of many live log-ins, as (digest, user id, token id)."""
    for start in range(0, len(rows), MAX_PIPELINE_SIZE):
        with client.get().pipeline(transaction=False) as pipe:
            for digest, user_id, token_id in rows[start : start + MAX_PIPELINE_SIZE]:
                FILL_TOKEN.queue(
                    pipe, keys=[keys.TOKEN(digest=digest)], args=[user_id, token_id, *_LIFETIME_ARGS]
                )
            pipe.execute()


def mark_unknown(digest: str) -> None:
    """Spare SQL the next questions about a token that it does not know."""
    _refuse([digest], "unknown", UNKNOWN_TTL)


def mark_revoked(digests: Iterable[str]) -> None:
    """Refuse revoked log-ins in every process at once, slow fillers included."""
    _refuse(digests, "revoked", REVOKED_TTL)


def _refuse(digests: Iterable[str], why: str, ttl: timedelta) -> None:
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for digest in digests:
                REFUSE_TOKEN.queue(
                    pipe, keys=[keys.TOKEN(digest=digest)], args=[why, int(ttl.total_seconds())]
                )
            pipe.execute()
    except client.UNAVAILABLE:
        logger.warning("Redis is away: %s log-ins are marked by the next tokens.bury_recent", why)
