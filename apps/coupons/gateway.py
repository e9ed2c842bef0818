"""POST /api/vouchers/<id>/seckill in the event loop: those who ask at the same time share three calls.

The rules are those of the Django view (api.seckill): the same scripts, limits, refusals and sentences.
`admission` decides for many at once; here a request becomes a question, and its end an answer.
Whatever is out of the ordinary (a cookie, a charset, a strange id) is answered by Django, behind.
Source: docs/performance.md; settings.SALE_GATEWAY turns it off.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any

from apps.accounts import tokens
from apps.accounts.token_copies import Copy, State
from apps.coupons import admission, dressing, loading, purchases, refusals
from apps.coupons.admission import Ask
from apps.coupons.dressing import Dress, Manner
from apps.coupons.refusals import BY_OUTCOME as _REFUSALS
from apps.coupons.seckill import Claim, Outcome
from apps.coupons.sql_threads import SqlThreads
from apps.problems import Problem, translation
from apps.problems.ids import LARGEST
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher
from apps.redis_kit.limiter import Verdict

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

BEFORE, AFTER = "/api/vouchers/", "/seckill"
#: Headers that are Django's business.
UNUSUAL = frozenset(
    {
        b"cookie",
        b"transfer-encoding",
        b"content-encoding",
        b"content-type",
        b"content-length",
        b"origin",
    }
)
#: Batches on their way at once: while one is with Redis, the next is read and the last one answered.
AT_ONCE = 2
#: Questions to SQL at once: tokens that Redis has forgotten, sales that it does not know.
SQL_THREADS = 4
#: Seconds for which an answer about a sale that isn't open is good for everybody, and how many are kept.
RECENT, KNOWN = 0.1, 10_000


class Gateway:
    """An ASGI application in front of another."""

    def __init__(self, behind: Application) -> None:
        self._behind = behind
        self._sql = SqlThreads(SQL_THREADS, "gateway-sql")
        self._crowd: Batcher[Ask, admission.End] = Batcher(
            admission.decide, most=admission.MOST, at_once=AT_ONCE
        )
        self._lately: dict[tuple[Callable[..., Any], int], tuple[float, asyncio.Future[Any]]] = {}
        dressing.warm_up()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        voucher_id = _voucher_id(scope["path"]) if _is_plain(scope) else 0
        headers = _plain(scope["headers"]) if voucher_id else None
        if headers is None:
            await self._behind(scope, receive, send)
            return
        manner = dressing.manner(scope["scheme"], *map(headers.get, dressing.TELLING))
        try:
            dress, gap = await self._answer(_ask(voucher_id, headers), manner)
        except client.UNAVAILABLE:
            dress, gap = dressing.refused(manner, refusals.BUSY.problem), ""
        start, body = dress.messages(gap)
        await send(start)
        await send(body)

    async def _answer(self, ask: Ask, manner: Manner) -> tuple[Dress, str]:
        """The answer, and what goes into its gap."""
        end = await self._crowd.ask(ask) if ask.digest else None
        if isinstance(end, Copy) and end.state is not State.LIVE:
            login = await self._sql.ask(tokens.settle, end, ask.digest)
            end = await self._crowd.ask(ask._replace(user_id=login.user_id)) if login else None
        if isinstance(end, Claim):
            look_up = _LOOKED_UP.get(end.outcome)
            return _said(end, await self._recent(look_up, ask.voucher_id) if look_up else "", manner)
        if end is None:
            return dressing.refused(manner, translation.of_status, 401), ""
        if isinstance(end, Verdict):
            return dressing.refused(manner, refusals.too_many, end.retry_after), ""
        return dressing.refused(manner, refusals.bad_token), ""

    async def _recent(self, act: Callable[[int], Any], voucher_id: int) -> Any:
        """What `act` said of a voucher a moment ago, or says now: a crowd asks once."""
        now, known = time.monotonic(), self._lately.get((act, voucher_id))
        if known is None or now - known[0] > RECENT:
            if len(self._lately) > KNOWN:
                self._lately.clear()
            known = self._lately[act, voucher_id] = (
                now,
                asyncio.ensure_future(self._sql.ask(act, voucher_id)),
            )
        return await asyncio.shield(known[1])


def _load(voucher_id: int) -> bool:
    """Whether it is a sale, which is being loaded now."""
    loading.request(voucher_id)
    return purchases.is_on_sale(voucher_id)


def _begins_at(voucher_id: int) -> str:
    return purchases.begins_at(voucher_id) or ""


#: Outcomes that are told with a fact that the claim didn't bring.
_LOOKED_UP: dict[Outcome, Callable[[int], Any]] = {Outcome.NOT_STARTED: _begins_at, Outcome.NOT_READY: _load}


def _said(claim: Claim, fact: Any, manner: Manner) -> tuple[Dress, str]:
    """The answer to a claim; `fact` is what _LOOKED_UP said."""
    outcome = claim.outcome
    if outcome is Outcome.ACCEPTED:
        return dressing.accepted(manner), str(claim.order_id)
    if outcome is Outcome.ALREADY_BOUGHT:
        return dressing.refused(manner, refusals.ALREADY_BOUGHT.problem, gap="order_id"), str(claim.order_id)
    problem = _REFUSALS[outcome].problem
    if outcome is Outcome.NOT_STARTED:
        return dressing.refused(manner, problem, gap="begins_at"), fact
    if outcome is Outcome.NOT_READY and not fact:
        problem = refusals.NOT_FOUND.problem
    return dressing.refused(manner, problem), ""


def _is_plain(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] == "POST" and not scope["query_string"]


@lru_cache(maxsize=KNOWN)
def _voucher_id(path: str) -> int:
    """The number in the path of a claim, 0 when it isn't one that a row can have or another path."""
    digits = path[len(BEFORE) : -len(AFTER)]
    if not (path.startswith(BEFORE) and path.endswith(AFTER)):
        return 0
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        return 0
    number = int(digits)
    return number if number <= LARGEST else 0


def _plain(given: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """The headers of a claim as programs make it; None for everything that is Django's."""
    headers = dict(given)
    if len(headers) != len(given):
        return None
    if UNUSUAL.isdisjoint(headers):
        return headers
    is_empty = UNUSUAL & headers.keys() == {b"content-length"} and headers[b"content-length"] == b"0"
    return headers if is_empty else None


def _ask(voucher_id: int, headers: dict[bytes, bytes]) -> Ask:
    digest = _digest(headers.get(b"authorization", b""))
    return Ask(digest, voucher_id, _request_token(headers.get(b"idempotency-key")))


def _digest(header: bytes) -> str:
    """What is kept of a bearer token; "" when it can't be one."""
    kind, _, raw = header.decode("latin-1").partition(" ")
    return tokens.digest(raw) if kind.lower() == "bearer" and tokens.is_shaped(raw) else ""


def _request_token(given: bytes | None) -> str:
    """The client's or a new one; "" when it has other characters."""
    try:
        return purchases.request_token(None if given is None else given.decode("latin-1"))
    except Problem:
        return ""
