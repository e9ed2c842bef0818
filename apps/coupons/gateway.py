"""POST /api/vouchers/<id>/seckill in the event loop: those who ask at the same time share a call.

The rules are those of the Django view (api.seckill): the same scripts, limits, refusals and sentences.
`admission` decides for many at once; here an end becomes an answer. claim_protocol asks without ASGI.
Whatever is out of the ordinary (a cookie, a charset, a strange id) is answered by Django, behind.
Source: docs/performance.md; settings.SALE_GATEWAY turns it off.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from apps.accounts import tokens
from apps.accounts.token_copies import Copy, State
from apps.coupons import admission, claim_requests, dressing, loading, purchases, refusals
from apps.coupons.admission import Ask
from apps.coupons.dressing import Dress, Manner
from apps.coupons.refusals import BY_OUTCOME as _REFUSALS
from apps.coupons.seckill import Claim, Outcome
from apps.coupons.sql_threads import SqlThreads
from apps.problems import translation
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher, Waiter
from apps.redis_kit.limiter import Verdict

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: Where somebody's way ended, or why nobody knows.
Decision = admission.End | Exception
#: An answer, and what goes into its gap.
Said = tuple[Dress, str]

#: Batches on their way at once, one in each of the wire's exchanges.
AT_ONCE = 2
#: Questions to SQL at once: tokens that Redis has forgotten, sales that it does not know.
SQL_THREADS = 4
#: Seconds for which an answer about a sale that isn't open is good for everybody, and how many are kept.
RECENT, KNOWN = 0.1, 10_000


class Gateway:
    """An ASGI application in front of another; where a server lets it, claim_protocol spares it ASGI."""

    def __init__(self, behind: Application) -> None:
        self._behind = behind
        self._sql = SqlThreads(SQL_THREADS, "gateway-sql")
        self._named: Batcher[Ask, admission.End] = Batcher(
            admission.admit, most=admission.MOST, at_once=AT_ONCE
        )
        self._others: Batcher[Ask, admission.End] = Batcher(
            admission.decide, most=admission.MOST, at_once=AT_ONCE
        )
        self._lately: dict[tuple[Callable[..., Any], int], tuple[float, asyncio.Future[Any]]] = {}
        dressing.warm_up()

    def put(self, ask: Ask, waiter: Waiter[admission.End]) -> None:
        """Have one decided who is told in the batch's turn."""
        (self._named if ask.named else self._others).put(ask, waiter)

    def ask(self, ask: Ask) -> asyncio.Future[admission.End]:
        """The decision, to be awaited."""
        return (self._named if ask.named else self._others).ask(ask)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        voucher_id = claim_requests.voucher_in(scope["path"]) if _may_be_claim(scope) else 0
        headers = claim_requests.plain(scope["headers"]) if voucher_id else None
        if headers is None:
            await self._behind(scope, receive, send)
            return
        manner = dressing.manner(scope["scheme"], *map(headers.get, dressing.TELLING))
        dress, gap = await self.answer(claim_requests.asked(voucher_id, headers), manner)
        start, body = dress.messages(gap)
        await send(start)
        await send(body)

    async def answer(self, ask: Ask, manner: Manner, decision: Decision | None = None) -> Said:
        """The answer to one who asks, or about whom it is decided already."""
        if not ask.digest:
            return dressing.refused(manner, translation.of_status, 401), ""
        try:
            if isinstance(decision, Exception):
                raise decision
            end = await self.ask(ask) if decision is None else decision
            return said(end, manner) or await self._find_out(end, ask, manner)
        except client.UNAVAILABLE:
            return dressing.refused(manner, refusals.BUSY.problem), ""

    async def _find_out(self, end: admission.End, ask: Ask, manner: Manner) -> Said:
        """The answer to an end that doesn't say it all; SQL is asked, or Redis once more."""
        if isinstance(end, Copy) and end.state is not State.LIVE:
            login = await self._sql.ask(tokens.settle, end, ask.digest)
            if login is None:
                return dressing.refused(manner, translation.of_status, 401), ""
            ask = ask._replace(named=0, user_id=login.user_id)
            end = await self.ask(ask)
            return said(end, manner) or await self._find_out(end, ask, manner)
        if isinstance(end, Claim):
            return _looked_up(end, await self._recent(_LOOK_UP[end.outcome], ask.voucher_id), manner)
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
_LOOK_UP: dict[Outcome, Callable[[int], Any]] = {Outcome.NOT_STARTED: _begins_at, Outcome.NOT_READY: _load}


def said(end: admission.End, manner: Manner) -> Said | None:
    """The answer that an end gives by itself, None when more has to be found out."""
    if isinstance(end, Claim):
        dress = _dress(manner, end.outcome)
        return (dress, str(end.order_id or "")) if dress else None
    if isinstance(end, Verdict):
        return dressing.refused(manner, refusals.too_many, end.retry_after), ""
    return None


@lru_cache(maxsize=8 * dressing.KEPT)
def _dress(manner: Manner, outcome: Outcome) -> Dress | None:
    """The answer to an outcome, with a gap for the order's id; None when another fact belongs into it."""
    if outcome is Outcome.ACCEPTED:
        return dressing.accepted(manner)
    if outcome in _LOOK_UP:
        return None
    gap = "order_id" if outcome is Outcome.ALREADY_BOUGHT else ""
    return dressing.refused(manner, _REFUSALS[outcome].problem, gap=gap)


def _looked_up(claim: Claim, fact: Any, manner: Manner) -> Said:
    """The answer to a claim with the fact that _LOOK_UP found."""
    problem = _REFUSALS[claim.outcome].problem
    if claim.outcome is Outcome.NOT_STARTED:
        return dressing.refused(manner, problem, gap="begins_at"), fact
    return dressing.refused(manner, problem if fact else refusals.NOT_FOUND.problem), ""


def _may_be_claim(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] == "POST" and not scope["query_string"]
