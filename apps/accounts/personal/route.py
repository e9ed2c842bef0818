"""The route of GET /api/me/page; odd requests and unknown log-ins are Django's, which answers alike."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from django.http import QueryDict
from redis.exceptions import NoScriptError

from apps.accounts.personal import api, parts
from apps.accounts.personal.answers import Answer, Gathering, Query
from apps.accounts.personal.parts import Ids
from apps.accounts.sessions import scopes, token_cache, tokens
from apps.accounts.sessions.scopes import Scope
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.front import compression, observe
from apps.front.documents import page_requests
from apps.front.documents.page_requests import DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.response import Response
from apps.front.route import Exchange, Message
from apps.front.short_cache import short_cache
from apps.front.sql_threads import SqlThreads
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher
from apps.redis_kit.transport import Command
from apps.web.problems import Problem

#: Batches at once, one in each exchange of the async transport.
MAX_CONCURRENT_BATCHES = 2
#: Languages and origins whose headers are kept.
MAX_VARIANTS = 256
log = logging.getLogger(__name__)

PATH = "/api/me/page"
_PATH_BYTES = PATH.encode()
#: Queries kept with their ids: everybody on a page sends the same one.
MAX_CACHED_QUERIES = 4_096
#: Longer than 50 ids of each kind; Django refuses what is longer still.
MAX_QUERY_BYTES = 4_096
#: More people in one exchange would hold Redis for longer than a millisecond.
MAX_BATCH = 64
#: A second one would take the interpreter from the event loop and Django, not load more.
MAX_SQL_THREADS = 1
sql = SqlThreads(MAX_SQL_THREADS, "personal-sql")


class PersonalRequest(NamedTuple):
    """Who asks (the log-in's digest and the user id that it claims, "" and 0 for a visitor) about what.

    `variant` is what the headers of the answer depend on.
    """

    digest: str
    user_id: int
    ids: Mapping[str, Ids]
    variant: DocumentKey


def read_request(query: bytes, scheme: str, headers: Mapping[bytes, bytes]) -> PersonalRequest | None:
    """The request of a GET of PATH; None when Django has to answer."""
    ids = parse_query(query)
    if ids is None or not page_requests.DJANGO_HEADERS.isdisjoint(headers):
        return None
    raw, variant = tokens.find_sent(headers), page_requests.read_key(PATH, scheme, headers)
    if not raw and b"authorization" in headers or variant is None:
        return None
    user_id = tokens.claimed_user_id(raw) or 0 if raw else 0
    if raw and (not user_id or Scope.READ not in scopes.find(raw)):
        return None
    digest = tokens.digest(raw) if raw else ""
    return PersonalRequest(digest, user_id, ids, variant)


@short_cache(MAX_CACHED_QUERIES)
def parse_query(query: bytes) -> dict[str, Ids] | None:
    """The ids by parameter; None for a query that Django refuses."""
    if len(query) > MAX_QUERY_BYTES:
        return None
    try:
        return parts.parse_ids(QueryDict(query.decode("latin-1")).dict())
    except (Problem, ValueError):
        return None


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


class PersonalRoute:
    """Answers the personal parts of one moment together, with the headers that Django gave the first one."""

    methods = (b"GET",)

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer = PageRenderer(django)
        #: The responses that Django has given so far to visitors: every one of a variant has their head.
        self.heads: dict[DocumentKey, Response] = {}
        self.batcher: Batcher[PersonalRequest, Response | None] = Batcher(
            self._answer_many, max_batch=MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )

    def read(self, message: Message) -> PersonalRequest | None:
        """The request for a personal part."""
        if not message.target.startswith(_PATH_BYTES):
            return None
        path, _, query = message.target.partition(b"?")
        return read_request(query, message.scheme, message.fields) if path == _PATH_BYTES else None

    def answer(self, request: PersonalRequest, exchange: Exchange) -> None:
        """Join the next batch, once there is a head for the answer."""
        if request.variant in self.heads:
            self.batcher.submit_to(request, exchange)
        else:
            exchange.set_result(partial(self._answer_first, request))

    def answer_failure(self, _request: PersonalRequest, error: Exception) -> None:
        """Django answers, also without Redis."""
        if not isinstance(error, client.UNAVAILABLE):
            log.error("a personal part failed", exc_info=error)

    async def _answer_many(self, queued: Sequence[PersonalRequest]) -> list[Response | None]:
        """The response to each request; None when Django has to give it."""
        found = await answer_many(queued)
        return [self._respond(request, answer) for request, answer in zip(queued, found, strict=True)]

    def _respond(self, request: PersonalRequest, answer: Answer | None) -> Response | None:
        origin = f"{request.variant.scheme}://{request.variant.host}"
        head, body = self.heads.get(request.variant), api.encode(answer, origin) if answer else b""
        # Django compresses a long one.
        return head.with_body(body) if head and 0 < len(body) < compression.MIN_BYTES else None

    async def _answer_first(self, request: PersonalRequest) -> Response | None:
        is_known = await self._load_head(request.variant)
        return await self.batcher.submit(request) if is_known else None

    async def _load_head(self, variant: DocumentKey) -> bool:
        """Keep the head that Django gives an answer of this variant; False if it refuses."""
        rendered = await self._renderer.request(variant)
        if rendered.status != HTTPStatus.OK:
            return False
        if len(self.heads) >= MAX_VARIANTS:
            self.heads.clear()
        rendered.route = observe.route_name(PATH)
        self.heads.setdefault(variant, rendered)
        return True
