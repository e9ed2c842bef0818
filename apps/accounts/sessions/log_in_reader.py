"""Who sent a request, found outside of Django: for routes in the event loop, live streams and statistics.

Log-ins of one moment share an exchange with Redis, and a query.
"""

from collections.abc import Callable, Mapping, Sequence

from django.db import close_old_connections
from django.http import parse_cookie

from apps.accounts.sessions import cookies, token_cache, tokens
from apps.accounts.sessions.scopes import Scope
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.accounts.sessions.tokens import Login
from apps.front.live.route import LiveRequest, Plan
from apps.front.live.topics import Topic, everybody_topic, person_topic
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher
from apps.web.problems.ids import MAX_ROW_ID
from apps.web.problems.translation import SQL_UNAVAILABLE

#: Copies that one exchange reads, and that one query fills: each some milliseconds of its server's time.
MAX_READ, MAX_FILLED = 64, 500
#: Queries at once. While one runs the next gather.
MAX_SQL_THREADS = 1
PATH = "/api/live"
#: Sales that one page may look at.
MAX_SALES = 10
#: The further topics of a person's stream, by the person's id.
ListTopics = Callable[[int], list[Topic]]


class LogInReader:
    """The log-ins that a route's requests bring."""

    def __init__(self) -> None:
        self._sql = SqlThreads(MAX_SQL_THREADS, "log-ins-sql")
        self._copies: Batcher[str, TokenCopy] = Batcher(_read_copies, max_batch=MAX_READ)
        self._rows: Batcher[str, Login | None] = Batcher(
            self._fill, max_batch=MAX_FILLED, max_concurrent=MAX_SQL_THREADS
        )

    async def find_sent(self, fields: Mapping[bytes, bytes]) -> Login | None:
        """The Login that the fields of a head bring, as `tokens.resolve` would find it; None without one."""
        raw = tokens.find_sent(fields)
        if not raw or not tokens.has_token_shape(raw):
            return None
        login = await self._find(tokens.digest(raw))
        return tokens.limit_to_scopes(login, raw) if login else None

    async def read_through(self, digest: str) -> Login | None:
        """The Login of a token whose copy is absent, from SQL, and its copy anew."""
        return await self._rows.submit(digest)

    async def _find(self, digest: str) -> Login | None:
        try:
            copy = await self._copies.submit(digest)
        except client.UNAVAILABLE:
            copy = TokenCopy(CopyState.ABSENT)
        if copy.state is CopyState.ABSENT:
            return await self.read_through(digest)
        return tokens.logins_from_copies({digest: copy}).get(digest)

    async def _fill(self, digests: Sequence[str]) -> Sequence[Login | None | Exception]:
        try:
            logins = await self._sql.run(tokens.read_through, list(dict.fromkeys(digests)))
        except SQL_UNAVAILABLE as error:
            # One query has waited for it already; each alone would wait as long.
            return [error] * len(digests)
        return [logins.get(digest) for digest in digests]


async def _read_copies(digests: Sequence[str]) -> list[TokenCopy]:
    return await token_cache.find_many_async(client.async_transport("gateway"), digests)


def identify(cookie_headers: Sequence[str]) -> list[int | None]:
    """The user id behind each Cookie header, None for a visitor; raises client.UNAVAILABLE.

    For a thread outside of requests: closes a connection to SQL that has become too old.
    """
    sent = [
        cookies.only_log_in(parse_cookie(header).get(cookies.TOKEN_COOKIE, "")) for header in cookie_headers
    ]
    digests = [tokens.digest(raw) if tokens.has_token_shape(raw) else "" for raw in sent]
    known = list(dict.fromkeys(filter(None, digests)))
    try:
        copies = token_cache.find_many(known) if known else []
        logins = tokens.logins_from_copies(dict(zip(known, copies, strict=True)))
    finally:
        close_old_connections()
    found = [logins.get(digest) for digest in digests]
    return [login.user_id if login else None for login in found]


def check_scope(request: LiveRequest, scope: Scope) -> Login | None:
    """The log-in that the request brings, or the program's token if it has this scope."""
    login = request.log_in
    return login if isinstance(login, Login) and scope in login.scopes else None


def plan(request: LiveRequest, list_topics: ListTopics) -> Plan | None:
    """A person's stream: their own topic, everybody's, further topics, and the `sales` of the query."""
    login = check_scope(request, Scope.READ)
    if login is None:
        return None
    topics = (person_topic(login.user_id), everybody_topic(), *list_topics(login.user_id))
    return Plan(user_id=login.user_id, topics=topics, subjects=_parse_sales(request.params.get("sales", "")))


def _parse_sales(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 20]
    return tuple(number for number in numbers if 0 < number <= MAX_ROW_ID)[:MAX_SALES]
