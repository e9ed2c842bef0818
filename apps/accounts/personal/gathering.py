"""Answers the personal parts of one moment together: log-ins and all parts in one exchange with Redis."""

from collections.abc import Mapping, Sequence
from typing import Any

from redis.exceptions import NoScriptError

from apps.accounts.personal.answers import Answer, Gathering, Query
from apps.accounts.personal.requests import PersonalRequest
from apps.accounts.sessions import token_cache, tokens
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.redis_kit.transport import Command

#: More people in one exchange would hold Redis for longer than a millisecond.
MAX_BATCH = 64
#: A second one would take the interpreter from the event loop and Django, not load more.
MAX_SQL_THREADS = 1

sql = SqlThreads(MAX_SQL_THREADS, "personal-sql")


async def answer_many(requests: Sequence[PersonalRequest]) -> list[Answer | None]:
    """The answer to each request; None where Django has to judge the log-in. Raises client.UNAVAILABLE."""
    gathering = Gathering([Query(request.user_id, request.ids) for request in requests])
    digests = [request.digest for request in requests if request.digest]
    log_ins = _resolve_commands(digests)
    replies = await client.async_transport("gateway").execute_many([*log_ins, *gathering.commands])
    copies = await _parse_copies(digests, replies[: len(log_ins)])
    owners = await _find_owners(dict(zip(digests, copies, strict=True)))
    uncached = {
        index
        for index, request in enumerate(requests)
        if request.digest and owners.get(request.digest) != request.user_id
    }
    if not gathering.read(replies[len(log_ins) :], leave_out=uncached):
        await sql.run(gathering.load)
    return [
        None if index in uncached or (request.digest and not answer["person"]) else answer
        for index, (request, answer) in enumerate(zip(requests, gathering.answers, strict=True))
    ]


def _resolve_commands(digests: Sequence[str]) -> list[Command]:
    """The script that reads and renews log-ins: one call, or on a cluster one for each."""
    if not digests:
        return []
    groups = [[digest] for digest in digests] if client.async_transport("gateway").is_cluster else [digests]
    return [token_cache.resolve_command(group) for group in groups]


async def _parse_copies(digests: Sequence[str], replies: Sequence[Any]) -> list[TokenCopy]:
    if any(isinstance(reply, NoScriptError) for reply in replies):
        # Refused before it ran: Redis has just started.
        return await token_cache.find_many_async(client.async_transport("gateway"), digests)
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    return [copy for reply in replies for copy in token_cache.RESOLVE_TOKEN.parse(reply)]


async def _find_owners(copies: Mapping[str, TokenCopy]) -> dict[str, int]:
    """The user id of each live log-in, by digest; copies that Redis doesn't hold cost one query together."""
    is_sql_asked = any(copy.state is CopyState.ABSENT for copy in copies.values())
    find = tokens.logins_from_copies
    logins = await sql.run(find, copies) if is_sql_asked else find(copies)
    return {digest: login.user_id for digest, login in logins.items()}
