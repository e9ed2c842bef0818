"""Answers the personal parts of one moment together: log-ins and all parts in one exchange with Redis."""

from collections.abc import Sequence
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
    copies = iter(await _parse_copies(digests, replies[: len(log_ins)]))
    uncached = {
        index
        for index, request in enumerate(requests)
        if request.digest and not await _is_live(request, next(copies))
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


async def _is_live(request: PersonalRequest, copy: TokenCopy) -> bool:
    """Whether the log-in is live and of the person whose parts were read; SQL is told when it is due."""
    if copy.state is CopyState.DUE and not await sql.run(tokens.login_from_copy, copy, request.digest):
        return False
    return copy.state in (CopyState.LIVE, CopyState.DUE) and copy.user_id == request.user_id
