"""Finds log-ins for code in the event loop: those of one moment share an exchange with Redis, and a query."""

from collections.abc import Mapping, Sequence

from apps.accounts.sessions import token_cache, tokens
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.accounts.sessions.tokens import Login
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher
from apps.web.problems.translation import SQL_UNAVAILABLE

#: Copies that one exchange reads, and that one query fills: each some milliseconds of its server's time.
MAX_READ, MAX_FILLED = 64, 500
#: Queries at once. While one runs the next gather.
MAX_SQL_THREADS = 1


class LogInReader:
    """The log-ins that a route's requests bring."""

    def __init__(self) -> None:
        self._sql = SqlThreads(MAX_SQL_THREADS, "log-ins-sql")
        self._copies: Batcher[str, TokenCopy] = Batcher(_read_copies, max_batch=MAX_READ)
        self._rows: Batcher[str, Login | None] = Batcher(
            self._fill, max_batch=MAX_FILLED, max_concurrent=MAX_SQL_THREADS
        )

    async def find_sent(self, fields: Mapping[bytes, bytes]) -> Login | None:
        """The Login that the fields of a head bring, as `tokens.resolve` would find it; None for nobody's."""
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
