"""POST /api/vouchers/<id>/seckill, and the form of the sale's page, in the event loop.

The rules are those of the Django views: the same scripts, limits, refusals and messages. Claims of one moment
share an exchange with Redis (admission); claim_protocol hands claims over without ASGI. Odd requests
(claim_requests) go to Django.
Source: docs/performance.md; settings.SALE_GATEWAY turns it off.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from django.db import OperationalError

from apps.accounts.sessions import tokens
from apps.accounts.sessions.token_cache import TokenCopy
from apps.coupons import refusals
from apps.coupons.buyer import purchases
from apps.coupons.claims import loading
from apps.coupons.claims.seckill import Outcome
from apps.coupons.gateway import admission, claim_answers, claim_requests
from apps.coupons.gateway.admission import AdmissionOutcome, ClaimRequest, Decision
from apps.coupons.gateway.claim_answers import RequestVariant
from apps.front import observe
from apps.front.response import Response
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher
from apps.web.problems import Problem, translation

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger(__name__)

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
        #: Claims join the next batch here: `submit` gives a future, `submit_to` tells a waiter.
        self.batcher: Batcher[ClaimRequest, AdmissionOutcome] = Batcher(
            admission.admit, max_batch=admission.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )
        self._recent_lookups: dict[tuple[Callable[..., Any], int], tuple[float, asyncio.Future[Any]]] = {}
        claim_answers.warm_up()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_plain = scope["type"] == "http" and scope["method"] == "POST" and not scope["query_string"]
        head = claim_requests.read_head(scope["path"].encode(), dict(scope["headers"])) if is_plain else None
        if head is None:
            await self._behind(scope, receive, send)
            return
        message = await _receive_body(receive)
        if message["type"] == "http.disconnect":
            return
        claim = claim_requests.read_claim(head, scope["scheme"], message.get("body", b""))
        if claim is None:
            await self._behind(scope, _repeat(message, receive), send)
            return
        answer = await self.respond(*claim)
        scope[observe.ROUTE] = claim[1].route
        await answer.send(send)

    async def respond(
        self, request: ClaimRequest, variant: RequestVariant, decision: Decision | None = None
    ) -> Response:
        """The answer to a claim, which is decided first unless its `decision` is given."""
        try:
            if isinstance(decision, Exception):
                raise decision
            if not request.digest:
                return claim_answers.refuse(request, variant, translation.from_status, 401)
            outcome = decision or await self.batcher.submit(request)
            if isinstance(outcome, TokenCopy):
                if not await self._sql.run(tokens.login_from_copy, outcome, request.digest):
                    return claim_answers.refuse(request, variant, translation.from_status, 401)
                # SQL knows the log-in, and has written its copy anew.
                outcome = await self.batcher.submit(request)
            return claim_answers.answer_for(outcome, request, variant) or await self._look_up_answer(
                outcome, request, variant
            )
        except client.UNAVAILABLE:
            return claim_answers.refuse(request, variant, refusals.BUSY.problem)
        except translation.SQL_UNAVAILABLE:
            log.exception("SQL is away: a claim of voucher %d is not decided", request.voucher_id)
            return claim_answers.refuse(request, variant, _sql_is_away)

    async def _look_up_answer(
        self, outcome: AdmissionOutcome, request: ClaimRequest, variant: RequestVariant
    ) -> Response:
        """The answer to an outcome that needs a fact from Redis or SQL."""
        kind = getattr(outcome, "outcome", None)
        if kind is Outcome.NOT_STARTED:
            begins_at = await self._cached_lookup(purchases.read_begins_at, request.voucher_id)
            return claim_answers.refuse_before_start(request, variant, begins_at or "")
        if kind is not Outcome.NOT_READY:
            # A copy that is gone again: Redis has no room for it, or it was revoked meanwhile.
            return claim_answers.refuse(request, variant, refusals.BUSY.problem)
        is_on_sale = await self._cached_lookup(_request_load, request.voucher_id)
        refusal = refusals.NOT_READY if is_on_sale else refusals.NOT_FOUND
        return claim_answers.refuse(request, variant, refusal.problem)

    async def _cached_lookup(self, look_up: Callable[[int], Any], voucher_id: int) -> Any:
        """The result of `look_up(voucher_id)`, at most LOOKUP_CACHE_SECONDS old."""
        now, cached = time.monotonic(), self._recent_lookups.get((look_up, voucher_id))
        if cached is None or now - cached[0] > LOOKUP_CACHE_SECONDS:
            if len(self._recent_lookups) > MAX_CACHED_LOOKUPS:
                self._recent_lookups.clear()
            pending = asyncio.ensure_future(self._sql.run(look_up, voucher_id))
            cached = self._recent_lookups[look_up, voucher_id] = now, pending
        return await asyncio.shield(cached[1])


def _sql_is_away() -> Problem:
    return translation.translate(OperationalError())


def _request_load(voucher_id: int) -> bool:
    """Start loading the sale; False when the voucher has none on sale."""
    loading.request_load(voucher_id)
    return purchases.is_on_sale(voucher_id)


async def _receive_body(receive: Receive) -> dict[str, Any]:
    """The whole body as one message, or the message that the client has left; it is short by its head."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return message
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return {"type": "http.request", "body": b"".join(parts), "more_body": False}


def _repeat(message: dict[str, Any], receive: Receive) -> Receive:
    """`receive` that gives the message once more before what is still to come."""
    messages = iter([message])

    async def receive_again() -> dict[str, Any]:
        for first in messages:
            return first
        return await receive()

    return receive_again
