"""The route of claims: POST /api/vouchers/<id>/seckill, and the form of the sale's page, in the event loop.

The rules are those of the Django views: the same scripts, limits, refusals and messages. Claims of one moment
share an exchange with Redis (admission). Odd requests (claim_requests) go to Django.
Source: docs/performance.md; settings.SALE_GATEWAY turns it off.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial

from django.db import OperationalError

from apps.accounts.sessions.log_in_reader import LogInReader
from apps.coupons import refusals
from apps.coupons.buyer import purchases
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimAnswer, Decision, Outcome
from apps.coupons.gateway import admission, claim_answers, claim_requests
from apps.coupons.gateway.claim_answers import Claim
from apps.front.response import Response
from apps.front.route import Exchange, Reply
from apps.front.sql_threads import SqlThreads
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher
from apps.web.problems import Problem, translation

#: Why a sale gives nothing, and further members of its Problem.
Explanation = tuple[refusals.Refusal, dict[str, str | None]]
log = logging.getLogger(__name__)

#: Batches sent at once, one in each exchange of the async transport.
MAX_CONCURRENT_BATCHES = 2
#: Look-ups in SQL at once: sales that Redis doesn't hold.
MAX_SQL_THREADS = 4
#: Seconds for which a look-up about a sale that isn't open serves every claim, and how many are kept.
LOOKUP_CACHE_SECONDS, MAX_CACHED_LOOKUPS = 0.1, 10_000


class ClaimRoute:
    """Answers the claims of one moment together."""

    methods = (b"POST",)

    def __init__(self) -> None:
        self._sql = SqlThreads(MAX_SQL_THREADS, "gateway-sql")
        self._log_ins = LogInReader()
        self.batcher: Batcher[Claim, Reply] = Batcher(
            self._answer_many, max_batch=admission.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )
        self._regulars: Batcher[Claim, ClaimAnswer] = Batcher(
            self._decide_with_streaks, max_batch=admission.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )
        self._explanations: dict[tuple[int, Outcome], tuple[float, asyncio.Future[Explanation]]] = {}
        claim_answers.warm_up()

    #: The claim that a message makes.
    read = staticmethod(claim_requests.read)

    def answer(self, claim: Claim, exchange: Exchange) -> None:
        """Join the next batch; without a well-formed log-in there is nothing to decide."""
        if claim.digest:
            self.batcher.submit_to(claim, exchange)
        else:
            exchange.set_result(_refuse_stranger(claim))

    def answer_failure(self, claim: Claim, error: Exception) -> Response:
        """The refusal of a claim that couldn't be decided."""
        if isinstance(error, client.UNAVAILABLE):
            return claim_answers.refuse(claim, refusals.BUSY.problem)
        if isinstance(error, translation.SQL_UNAVAILABLE):
            log.error("SQL is away: a claim of voucher %d is not decided", claim.voucher_id)
            return claim_answers.refuse(claim, _sql_is_away)
        log.error("a claim of voucher %d failed", claim.voucher_id, exc_info=error)
        return claim_answers.refuse(claim, translation.from_status, 500)

    def reply_to(self, claims: Sequence[Claim], decisions: Sequence[Decision]) -> list[Reply | Exception]:
        """What decisions answer to their claims: at once when they say all of it."""
        decided = list(zip(decisions, claims, strict=True))
        accepted = [
            (decision, claim)
            for decision, claim in decided
            if isinstance(decision, ClaimAnswer) and decision.outcome is Outcome.ACCEPTED
        ]
        fillings, replies = iter(claim_answers.fill_accepted(accepted)), list[Reply | Exception]()
        for decision, claim in decided:
            if isinstance(decision, Exception):
                replies.append(decision)
            elif decision.outcome is Outcome.ACCEPTED:
                replies.append(claim.variant.accepted.fill(next(fillings)))
            elif decision.outcome.needs_fact:
                replies.append(partial(self._look_up_answer, claim, decision))
            else:
                try:
                    replies.append(claim_answers.answer_refused(claim, decision))
                except Exception as error:  # harms no other claim of the batch
                    replies.append(error)
        return replies

    async def _answer_many(self, claims: Sequence[Claim]) -> list[Reply | Exception]:
        return self.reply_to(claims, await admission.admit(claims))

    async def _look_up_answer(self, claim: Claim, answer: ClaimAnswer) -> Response | None:
        """The response to an answer that needs a fact from Redis or SQL."""
        outcome = answer.outcome
        if outcome is Outcome.STREAK_UNKNOWN:
            (reply,) = self.reply_to([claim], [await self._regulars.submit(claim)])
            return await _finish(reply)
        if outcome is Outcome.LOG_IN_UNKNOWN:
            if not claim.is_repeated:
                return await self._look_up_login(claim)
            # A copy that is gone again: Redis has no room for it.
            outcome = Outcome.BUSY
        refusal, members = await self._explain(claim.voucher_id, outcome)
        if "begins_at" in members:
            return claim_answers.refuse_before_start(claim, members["begins_at"] or "")
        return claim_answers.refuse(claim, refusal.problem)

    async def _look_up_login(self, claim: Claim) -> Response | None:
        """The answer to a claim whose log-in Redis doesn't hold: SQL knows it, and writes its copy anew."""
        if not await self._log_ins.read_through(claim.digest):
            return _refuse_stranger(claim)
        return await _finish(await self.batcher.submit(claim._replace(is_repeated=True)))

    async def _decide_with_streaks(self, claims: Sequence[Claim]) -> Sequence[Decision]:
        """The decisions about claims on sales that ask for check-ins in a row: SQL knows these."""
        wanted = [seckill.Claim(claim.voucher_id, claim.user_id, claim.request_token) for claim in claims]
        try:
            streaks = await self._sql.run(seckill.read_streaks, {claim.user_id for claim in wanted})
        except translation.SQL_UNAVAILABLE as error:
            # One query has waited for it already; each alone would wait as long.
            return [error] * len(claims)
        return await seckill.decide(client.async_transport("gateway"), wanted, streaks)

    async def _explain(self, voucher_id: int, outcome: Outcome) -> Explanation:
        """Why the sale gives nothing, as it was LOOKUP_CACHE_SECONDS ago at most."""
        now, cached = time.monotonic(), self._explanations.get((voucher_id, outcome))
        if cached is None or now - cached[0] > LOOKUP_CACHE_SECONDS:
            if len(self._explanations) > MAX_CACHED_LOOKUPS:
                self._explanations.clear()
            pending = asyncio.ensure_future(self._sql.run(purchases.explain_refusal, voucher_id, outcome))
            cached = self._explanations[voucher_id, outcome] = now, pending
        return await asyncio.shield(cached[1])


async def _finish(reply: Reply | Exception) -> Response | None:
    """The response of a reply, after its look-ups."""
    if isinstance(reply, Exception):
        raise reply
    return await reply() if callable(reply) else reply


def _refuse_stranger(claim: Claim) -> Response:
    return claim_answers.refuse(claim, translation.from_status, 401)


def _sql_is_away() -> Problem:
    return translation.translate(OperationalError())
