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

from apps.accounts.sessions import tokens
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.coupons import refusals
from apps.coupons.buyer import purchases
from apps.coupons.claims import loading
from apps.coupons.claims.seckill import ClaimResult, Outcome
from apps.coupons.gateway import admission, claim_requests, response_templates
from apps.coupons.gateway.admission import ClaimRequest
from apps.coupons.gateway.response_templates import CachedResponse, RequestVariant
from apps.coupons.gateway.sql_threads import SqlThreads
from apps.coupons.refusals import REFUSAL_BY_OUTCOME as _REFUSALS
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher, Waiter
from apps.redis_kit.limiter import Verdict
from apps.web.problems import translation

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: Where somebody's way ended, or why nobody knows.
Decision = admission.AdmissionOutcome | Exception
#: An answer, and what goes into its gap.
FilledResponse = tuple[CachedResponse, str]

#: Batches sent at once, one in each exchange of the async transport.
MAX_CONCURRENT_BATCHES = 2
#: Questions to SQL at once: tokens that Redis has forgotten, sales that it does not know.
MAX_SQL_THREADS = 4
#: Seconds for which an answer about a sale that isn't open is good for everybody, and how many are kept.
LOOKUP_CACHE_SECONDS, MAX_CACHED_LOOKUPS = 0.1, 10_000


class Gateway:
    """An ASGI application in front of another; where a server lets it, claim_protocol spares it ASGI."""

    def __init__(self, behind: Application) -> None:
        self._behind = behind
        self._sql = SqlThreads(MAX_SQL_THREADS, "gateway-sql")
        self._by_token: Batcher[ClaimRequest, admission.AdmissionOutcome] = Batcher(
            admission.admit, max_batch=admission.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )
        self._by_lookup: Batcher[ClaimRequest, admission.AdmissionOutcome] = Batcher(
            admission.admit_in_stages, max_batch=admission.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )
        self._recent_lookups: dict[tuple[Callable[..., Any], int], tuple[float, asyncio.Future[Any]]] = {}
        response_templates.warm_up()

    def put(self, ask: ClaimRequest, waiter: Waiter[admission.AdmissionOutcome]) -> None:
        """Have one decided who is told in the batch's turn."""
        (self._by_token if ask.token_user_id else self._by_lookup).submit_to(ask, waiter)

    def ask(self, ask: ClaimRequest) -> asyncio.Future[admission.AdmissionOutcome]:
        """The decision, to be awaited."""
        return (self._by_token if ask.token_user_id else self._by_lookup).submit(ask)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        voucher_id = claim_requests.voucher_id_in(scope["path"]) if _may_be_claim(scope) else 0
        headers = claim_requests.plain_headers(scope["headers"]) if voucher_id else None
        if headers is None:
            await self._behind(scope, receive, send)
            return
        manner = response_templates.variant_for(
            scope["scheme"], *map(headers.get, response_templates.VARIANT_HEADERS)
        )
        dress, gap = await self.respond(claim_requests.parse(voucher_id, headers), manner)
        start, body = dress.to_asgi(gap)
        await send(start)
        await send(body)

    async def respond(
        self, ask: ClaimRequest, manner: RequestVariant, decision: Decision | None = None
    ) -> FilledResponse:
        """The answer to one who asks, or about whom it is decided already."""
        if not ask.digest:
            return response_templates.render_refused(manner, translation.from_status, 401), ""
        try:
            if isinstance(decision, Exception):
                raise decision
            end = await self.ask(ask) if decision is None else decision
            return response_for(end, manner) or await self._resolve(end, ask, manner)
        except client.UNAVAILABLE:
            return response_templates.render_refused(manner, refusals.BUSY.problem), ""

    async def _resolve(
        self, end: admission.AdmissionOutcome, ask: ClaimRequest, manner: RequestVariant
    ) -> FilledResponse:
        """The answer to an end that doesn't say it all; SQL is asked, or Redis once more."""
        if isinstance(end, TokenCopy) and end.state is not CopyState.LIVE:
            login = await self._sql.ask(tokens.login_from_copy, end, ask.digest)
            if login is None:
                return response_templates.render_refused(manner, translation.from_status, 401), ""
            ask = ask._replace(token_user_id=0, user_id=login.user_id)
            end = await self.ask(ask)
            return response_for(end, manner) or await self._resolve(end, ask, manner)
        if isinstance(end, ClaimResult):
            return _response_with_fact(
                end, await self._cached_lookup(_LOOKUPS[end.outcome], ask.voucher_id), manner
            )
        return response_templates.render_refused(manner, refusals.bad_request_token), ""

    async def _cached_lookup(self, act: Callable[[int], Any], voucher_id: int) -> Any:
        """What `act` said of a voucher a moment ago, or says now: a crowd asks once."""
        now, known = time.monotonic(), self._recent_lookups.get((act, voucher_id))
        if known is None or now - known[0] > LOOKUP_CACHE_SECONDS:
            if len(self._recent_lookups) > MAX_CACHED_LOOKUPS:
                self._recent_lookups.clear()
            known = self._recent_lookups[act, voucher_id] = (
                now,
                asyncio.ensure_future(self._sql.ask(act, voucher_id)),
            )
        return await asyncio.shield(known[1])


def _request_load(voucher_id: int) -> bool:
    """Whether it is a sale, which is being loaded now."""
    loading.request_load(voucher_id)
    return purchases.is_on_sale(voucher_id)


def _read_begins_at(voucher_id: int) -> str:
    return purchases.read_begins_at(voucher_id) or ""


#: Outcomes that are told with a fact that the claim didn't bring.
_LOOKUPS: dict[Outcome, Callable[[int], Any]] = {
    Outcome.NOT_STARTED: _read_begins_at,
    Outcome.NOT_READY: _request_load,
}


def response_for(end: admission.AdmissionOutcome, manner: RequestVariant) -> FilledResponse | None:
    """The answer that an end gives by itself, None when more has to be found out."""
    if isinstance(end, ClaimResult):
        dress = _response_for_outcome(manner, end.outcome)
        return (dress, str(end.order_id or "")) if dress else None
    if isinstance(end, Verdict):
        return response_templates.render_refused(manner, refusals.too_many_requests, end.retry_after), ""
    return None


@lru_cache(maxsize=8 * response_templates.MAX_VARIANTS)
def _response_for_outcome(manner: RequestVariant, outcome: Outcome) -> CachedResponse | None:
    """The answer to an outcome, with a gap for the order's id; None when another fact belongs into it."""
    if outcome is Outcome.ACCEPTED:
        return response_templates.render_accepted(manner)
    if outcome in _LOOKUPS:
        return None
    gap = "order_id" if outcome is Outcome.ALREADY_BOUGHT else ""
    return response_templates.render_refused(manner, _REFUSALS[outcome].problem, gap=gap)


def _response_with_fact(claim: ClaimResult, fact: Any, manner: RequestVariant) -> FilledResponse:
    """The answer to a claim with the fact that _LOOK_UP found."""
    problem = _REFUSALS[claim.outcome].problem
    if claim.outcome is Outcome.NOT_STARTED:
        return response_templates.render_refused(manner, problem, gap="begins_at"), fact
    return response_templates.render_refused(manner, problem if fact else refusals.NOT_FOUND.problem), ""


def _may_be_claim(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] == "POST" and not scope["query_string"]
