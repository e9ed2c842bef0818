"""Cached log-ins in Redis, which each request reads; SQL decides, and a missing copy costs one query."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from django.utils import timezone

from apps.accounts import keys
from apps.accounts.models import AccessToken, AccessTokenQuerySet
from apps.redis_kit import client, copies, scripts, transport
from apps.redis_kit.findings import Finding
from apps.redis_kit.transport import AsyncTransport, Command
from apps.web.batches import chunked

#: Idle copies leave memory after a week, so that who comes for the weekly sale has one; SQL brings them back.
COPY_TTL = timedelta(days=7)
#: A write per request would cost more than an hour of precision is worth, most of all in a sale.
SLIDE_INTERVAL = timedelta(hours=1)
#: last_seen_at and expires_at in SQL. A copy that is used can be wrong about SQL for this long, and for the
#: second until the renewal is written.
SQL_RENEW_INTERVAL = timedelta(hours=1)
#: Longer than any request can take between its SQL read and its fill.
REVOKED_TTL = timedelta(hours=1)
UNKNOWN_TTL = timedelta(minutes=1)
#: Copies of programs' tokens are never renewed: each minute SQL hears of a use, and knows what has expired.
PROGRAM_TTL = timedelta(minutes=1)
MAX_PIPELINE_SIZE = 1_000
logger = logging.getLogger(__name__)

FILL_TOKEN = scripts.Script("fill_token", package="apps.accounts.sessions", reply=bool)
REFUSE_TOKEN = scripts.Script("refuse_token", package="apps.accounts.sessions", reply=bool)
#: The last three arguments of fill_token.lua, and all of resolve_token.lua.
_LIFETIME_ARGS = tuple(int(each.total_seconds()) for each in (COPY_TTL, SLIDE_INTERVAL, SQL_RENEW_INTERVAL))
#: Log-ins that a rebuild caches in one batch.
BATCH_TOKENS = 5_000
REFUSED = "gone"


class CopyState(IntEnum):
    """The state of a cached log-in that resolve_token.lua found."""

    ABSENT = 0
    LIVE = 1
    DUE = 2
    REFUSED = 3


class TokenCopy(NamedTuple):
    """A cached log-in; both ids are 0 unless its state is LIVE or DUE."""

    state: CopyState
    user_id: int = 0
    token_id: int = 0


_ABSENT_COPY, _REFUSED_COPY = TokenCopy(CopyState.ABSENT), TokenCopy(CopyState.REFUSED)
#: A sale reads very many copies, and Python 3.11 is slow to look a member up.
_LIVE, _DUE = CopyState.LIVE, CopyState.DUE


def _parse_copy(reply: str | None) -> TokenCopy:
    if reply is None:
        return _ABSENT_COPY
    if reply == "gone":
        return _REFUSED_COPY
    user_id, token_id, due, _ = reply.split(":")
    return TokenCopy(_DUE if due == "0" else _LIVE, int(user_id), int(token_id))


def _parse_copies(raw: Sequence[str | None]) -> list[TokenCopy]:
    return [_parse_copy(reply) for reply in raw]


RESOLVE_TOKEN = scripts.Script("resolve_token", package="apps.accounts.sessions", reply=_parse_copies)


def find(digest: str) -> TokenCopy:
    """Read and renew one cached log-in; one round trip."""
    return RESOLVE_TOKEN(client.get(), keys=[keys.TOKEN(digest=digest)], args=_LIFETIME_ARGS)[0]


def resolve_call(digests: Sequence[str]) -> scripts.Call:
    """(keys, args) of RESOLVE for these tokens."""
    return keys.TOKEN.build_many("digest", digests), _LIFETIME_ARGS


def resolve_command(digests: Sequence[str]) -> Command:
    """The same as a command for an exchange with others; its reply is for RESOLVE_TOKEN.parse."""
    tokens, args = resolve_call(digests)
    return RESOLVE_TOKEN.command(keys=tokens, args=args)


def prepare_calls() -> tuple[Callable[[Sequence[str]], list[str]], Sequence[int]]:
    """(what builds the keys of tokens from their digests, args) for a script that has RESOLVE as a part."""
    return partial(keys.TOKEN.build_many, "digest"), _LIFETIME_ARGS


def find_many(digests: Sequence[str]) -> list[TokenCopy]:
    """Read and renew cached log-ins in one round trip, by one call for each."""
    copies, _ = RESOLVE_TOKEN.call_many(client.get(), [resolve_call([digest]) for digest in digests])
    return list(chain.from_iterable(copies))


async def find_many_async(transport: AsyncTransport, digests: Sequence[str]) -> list[TokenCopy]:
    """Read and renew many cached log-ins at once: one call, or on a cluster one for each."""
    different = list(dict.fromkeys(digests))
    calls = [[digest] for digest in different] if transport.is_cluster else [different]
    copies = chain.from_iterable(await RESOLVE_TOKEN.acall_many(transport, list(map(resolve_call, calls))))
    by_digest = dict(zip(different, copies, strict=True))
    return [by_digest[digest] for digest in digests]


class LiveRow(NamedTuple):
    """A live log-in as SQL knows it, for its copy.

    `ends_at` is of a program's token, whose copy is short-lived and doesn't outlive it.
    """

    digest: str
    user_id: int
    token_id: int
    ends_at: datetime | None = None


def fill(digest: str, *, user_id: int, token_id: int) -> bool:
    """Cache a live log-in; False when it has been revoked. Does nothing without Redis."""
    return bool(fill_each([LiveRow(digest, user_id, token_id)]))


def fill_each(rows: Sequence[LiveRow]) -> set[str]:
    """Cache live log-ins in one round trip; the digests of the log-ins that were not revoked meanwhile.

    Does nothing without Redis.
    """
    calls = {row.digest: call for row in rows if (call := _fill_call(row))}
    try:
        replies, _ = FILL_TOKEN.call_many(client.get(), list(calls.values()))
    except client.UNAVAILABLE:
        replies = []
    revoked = {digest for digest, is_filled in zip(calls, replies, strict=False) if not is_filled}
    return {row.digest for row in rows} - revoked


def _fill_call(row: LiveRow) -> scripts.Call | None:
    """(keys, args) of FILL_TOKEN; None for a program's token that ends in less than a second."""
    lifetime = _LIFETIME_ARGS if row.ends_at is None else _program_lifetime(row.ends_at)
    call = [keys.TOKEN(digest=row.digest)], [row.user_id, row.token_id, *lifetime]
    return call if lifetime[0] else None


def _program_lifetime(ends_at: datetime) -> tuple[int, int, int]:
    """The last arguments of fill_token.lua for a copy that is gone before it would be renewed."""
    seconds = int(min(PROGRAM_TTL, ends_at - timezone.now()).total_seconds())
    later = int(SQL_RENEW_INTERVAL.total_seconds())
    return max(0, seconds), later, later


def fill_many(rows: Sequence[tuple[str, int, int]], *, last_used: timedelta = timedelta(0)) -> None:
    """Cache many live log-ins (digest, user id, token id), as their last use so long ago left them."""
    lifetime = [each - int(last_used.total_seconds()) for each in _LIFETIME_ARGS]
    if lifetime[0] <= 0:
        return
    for start in range(0, len(rows), MAX_PIPELINE_SIZE):
        batch = rows[start : start + MAX_PIPELINE_SIZE]
        calls = [([keys.TOKEN(digest=digest)], [*ids, *lifetime]) for digest, *ids in batch]
        FILL_TOKEN.call_many(client.get(), calls)


def mark_unknown(digests: Iterable[str]) -> None:
    """Remember for a while that SQL does not know these tokens, to spare SQL the next questions."""
    _refuse(digests, "unknown", UNKNOWN_TTL)


def mark_revoked(digests: Iterable[str]) -> None:
    """Refuse revoked log-ins in every process at once, also in one that is just caching them."""
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
        logger.warning("Redis is away: %s log-ins are marked by the next accounts.revoke_in_redis", why)


def _read_copies(digests: Collection[str]) -> dict[str, str]:
    """{digest: "user:token id"}, or REFUSED."""
    texts = transport.execute_many(client.get(), [("GET", keys.TOKEN(digest=digest)) for digest in digests])
    return {
        digest: REFUSED if text.startswith(REFUSED) else ":".join(text.split(":")[:2])
        for digest, text in zip(digests, texts, strict=True)
        if text is not None
    }


def _query(digests: Collection[str]) -> dict[str, str]:
    live = {digest: f"{user}:{pk}" for digest, user, pk in _read_rows(AccessToken.objects.live(), digests)}
    return dict.fromkeys(digests, REFUSED) | live


def _read_rows(tokens: AccessTokenQuerySet, digests: Collection[str]) -> list[tuple[str, int, int]]:
    return list(tokens.filter(digest__in=list(digests)).values_list("digest", "user_id", "pk"))


def _forget(digests: Collection[str]) -> None:
    """Drop copies, which their next use fills; those of revoked log-ins refuse at once."""
    transport.execute_many(client.get(), [("DEL", keys.TOKEN(digest=digest)) for digest in digests])
    revoked = AccessToken.objects.filter(digest__in=list(digests), revoked_at__isnull=False)
    mark_revoked(list(revoked.values_list("digest", flat=True)))


def _fill(digests: Collection[str]) -> int:
    # Copies of programs' tokens live for a minute: their next use fills them.
    rows = _read_rows(AccessToken.objects.live().log_ins(), digests)
    fill_many(rows)
    return len(rows)


def _recently_used() -> copies.OwnerBatches[str]:
    """The log-ins used within a copy's life."""
    since = timezone.now() - COPY_TTL
    recent = AccessToken.objects.live().log_ins().filter(last_seen_at__gte=since).order_by("pk")
    digests = list(recent.values_list("digest", flat=True))
    return len(digests), chunked(digests, BATCH_TOKENS)


def _describe(digest: str, actual: str, expected: str) -> list[Finding]:
    # The digest of a token doesn't log in, but the whole of it is nobody's business.
    return [Finding(f"log-in {digest[:12]}…", "copy", actual, expected)]


COPY = copies.Copy(
    keys.TOKEN,
    read_copies=_read_copies,
    query=_query,
    forget=_forget,
    describe=_describe,
    fill=_fill,
    owners=_recently_used,
    parse_owner=itemgetter("digest"),
)
