"""POST /api/vouchers/<id>/seckill in the event loop: claims of one moment share an exchange with Redis.

The rules are those of the Django view (api.seckill): the same scripts, limits, refusals and messages.
`admission` decides many claims at once; this module turns each outcome into an answer. claim_protocol hands
claims over without ASGI. Django answers unusual requests (with a cookie, a body or a strange id).
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
from apps.coupons.claims import loading, seckill
from apps.coupons.claims.seckill import ClaimResult, Outcome
from apps.coupons.gateway import admission, claim_requests, response_templates
from apps.coupons.gateway.admission import ClaimRequest
from apps.coupons.gateway.response_templates import CachedResponse, RequestVariant
from apps.coupons.gateway.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher, Waiter
from apps.redis_kit.limiter import Verdict
from apps.web.problems import translation

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: The outcome of a claim, or the error that kept it from being decided.
Decision = admission.AdmissionOutcome | Exception
#: An answer, and the text for its placeholder.
FilledResponse = tuple[CachedResponse, str]

#: Batches sent at once, one in each exchange of the async transport.
MAX_CONCURRENT_BATCHES = 2
#: Look-ups in SQL at once: tokens and sales that Redis doesn't hold.
MAX_SQL_THREADS = 4
#: Seconds for which a look-up about a sale that isn't open serves every claim, and how many are kept.
LOOKUP_CACHE_SECONDS, MAX_CACHED_LOOKUPS = 0.1, 10_000


class Gateway:
    """An ASGI application that answers claims; every other request goes to the application `behind` it."""

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

    def put(self, request: ClaimRequest, waiter: Waiter[admission.AdmissionOutcome]) -> None:
        """Queue a claim for the next batch; the waiter is given its outcome."""
        (self._by_token if request.token_user_id else self._by_lookup).submit_to(request, waiter)

    def submit(self, request: ClaimRequest) -> asyncio.Future[admission.AdmissionOutcome]:
        """Queue a claim for the next batch; the future is its outcome."""
        return (self._by_token if request.token_user_id else self._by_lookup).submit(request)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        voucher_id = claim_requests.voucher_id_in(scope["path"]) if _may_be_claim(scope) else 0
        headers = claim_requests.plain_headers(scope["headers"]) if voucher_id else None
        if headers is None:
            await self._behind(scope, receive, send)
            return
        variant = response_templates.variant_for(
            scope["scheme"], *map(headers.get, response_templates.VARIANT_HEADERS)
        )
        response, filling = await self.respond(claim_requests.parse(voucher_id, headers), variant)
        start, body = response.to_asgi(filling)
        await send(start)
        await send(body)

    async def respond(
        self, request: ClaimRequest, variant: RequestVariant, decision: Decision | None = None
    ) -> FilledResponse:
        """The answer to a claim, which is decided first unless its `decision` is given."""
        if not request.digest:
            return response_templates.render_refused(variant, translation.from_status, 401), ""
        try:
            if isinstance(decision, Exception):
                raise decision
            outcome = await self.submit(request) if decision is None else decision
            return response_for(outcome, variant) or await self._resolve(outcome, request, variant)
        except client.UNAVAILABLE:
            return response_templates.render_refused(variant, refusals.BUSY.problem), ""

    async def _resolve(
        self, outcome: admission.AdmissionOutcome, request: ClaimRequest, variant: RequestVariant
    ) -> FilledResponse:
        """The answer to an outcome that needs a look into SQL, or another exchange with Redis."""
        if isinstance(outcome, TokenCopy) and outcome.state is not CopyState.LIVE:
            login = await self._sql.run(tokens.login_from_copy, outcome, request.digest)
            if login is None:
                return response_templates.render_refused(variant, translation.from_status, 401), ""
            request = request._replace(token_user_id=0, user_id=login.user_id)
            outcome = await self.submit(request)
            return response_for(outcome, variant) or await self._resolve(outcome, request, variant)
        if isinstance(outcome, ClaimResult):
            fact = await self._cached_lookup(_LOOKUPS[outcome.outcome], request.voucher_id)
            return _response_with_fact(outcome, fact, variant)
        return response_templates.render_refused(variant, refusals.bad_request_token), ""

    async def _cached_lookup(self, look_up: Callable[[int], Any], voucher_id: int) -> Any:
        """The result of `look_up(voucher_id)`, at most LOOKUP_CACHE_SECONDS old."""
        now, cached = time.monotonic(), self._recent_lookups.get((look_up, voucher_id))
        if cached is None or now - cached[0] > LOOKUP_CACHE_SECONDS:
            if len(self._recent_lookups) > MAX_CACHED_LOOKUPS:
                self._recent_lookups.clear()
            pending = asyncio.ensure_future(self._sql.run(look_up, voucher_id))
            cached = self._recent_lookups[look_up, voucher_id] = now, pending
        return await asyncio.shield(cached[1])


def _request_load(voucher_id: int) -> bool:
    """Start loading the sale; False when the voucher has none on sale."""
    loading.request_load(voucher_id)
    return purchases.is_on_sale(voucher_id)


def _read_begins_at(voucher_id: int) -> str:
    return purchases.read_begins_at(voucher_id) or ""


#: Outcomes whose answer needs a fact that the claim didn't bring.
_LOOKUPS: dict[Outcome, Callable[[int], Any]] = {
    Outcome.NOT_STARTED: _read_begins_at,
    Outcome.NOT_READY: _request_load,
}


def response_for(outcome: admission.AdmissionOutcome, variant: RequestVariant) -> FilledResponse | None:
    """The answer to an outcome, or None when a fact has to be looked up first."""
    if isinstance(outcome, ClaimResult):
        response = _response_for_decision(variant, outcome.outcome)
        return (response, str(outcome.order_id or "")) if response else None
    if isinstance(outcome, Verdict):
        retry_after = outcome.retry_after
        return response_templates.render_refused(variant, refusals.too_many_requests, retry_after), ""
    return None


@lru_cache(maxsize=8 * response_templates.MAX_VARIANTS)
def _response_for_decision(variant: RequestVariant, decision: Outcome) -> CachedResponse | None:
    """The answer to a decision, with a placeholder for the order id; None for one of _LOOKUPS."""
    if decision is Outcome.ACCEPTED:
        return response_templates.render_accepted(variant)
    if decision in _LOOKUPS:
        return None
    placeholder = "order_id" if decision is Outcome.ALREADY_BOUGHT else ""
    problem = seckill.REFUSALS[decision].problem
    return response_templates.render_refused(variant, problem, placeholder=placeholder)


def _response_with_fact(claim: ClaimResult, fact: Any, variant: RequestVariant) -> FilledResponse:
    """The answer to a decision of _LOOKUPS, with the fact that was looked up."""
    problem = seckill.REFUSALS[claim.outcome].problem
    if claim.outcome is Outcome.NOT_STARTED:
        return response_templates.render_refused(variant, problem, placeholder="begins_at"), fact
    return response_templates.render_refused(variant, problem if fact else refusals.NOT_FOUND.problem), ""


def _may_be_claim(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] == "POST" and not scope["query_string"]
