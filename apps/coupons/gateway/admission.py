"""Decides a batch of claims: finds each claim's person, checks their rate limit and the sale's stock.

The rules are the scripts of token_cache, limiter and seckill, which Django's views call one after another;
the calls, the replies, the repetition and the replicas of the last are seckill's for both. admit.lua runs all
three for the claims on one sale; the sales of a batch are calls of one exchange. Tokens name their person, so
every key is known beforehand. On a Redis Cluster log-ins, limits and a sale lie in different slots: there
each step is an exchange with every node that it concerns.
Source: docs/performance.md.
"""

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from apps.accounts.sessions import renewals, token_cache
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.coupons import limits
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimAnswer, Decision, Outcome
from apps.redis_kit import client, limiter, scripts
from apps.redis_kit.batching import call_one_by_one_on_error
from apps.redis_kit.limiter import Verdict
from apps.redis_kit.transport import AsyncTransport

#: More claims on one sale would hold Redis for longer than a millisecond.
MAX_BATCH = 64


class ClaimRequest(NamedTuple):
    """One claim as the gateway reads it: `digest` is of the log-in token, which names the user id.

    Without a log-in the digest is empty; such a claim reaches no batch.
    """

    digest: str
    voucher_id: int
    request_token: str
    user_id: int


class AdmitReply(NamedTuple):
    """The answer of admit.lua about one sale's claims.

    `unresolved` are the indexes, from 1, of the claims without a live log-in, `copies` what Redis holds of
    these log-ins. `refusals` are about the other claims, `claims` about those that the limit allows. `due`
    has an index and a token id for each log-in among them whose use is due in SQL.
    """

    unresolved: list[int]
    copies: list[TokenCopy]
    refusals: list[limiter.Refusal]
    claims: list[ClaimAnswer]
    due: Sequence[int | str]


_build_login_keys, _login_args = token_cache.prepare_calls()
_build_limit_keys, _limit_args = limiter.prepare_hits(limits.CLAIM_LIMIT)
_people_args = (*_login_args, *_limit_args)


def _parse_reply(raw: Sequence[Any]) -> AdmitReply:
    unresolved, copies, refusals, claims, due = raw
    return AdmitReply(
        unresolved,
        token_cache.RESOLVE_TOKEN.parse(copies) if copies else [],
        limiter.HIT.parse(refusals) if refusals else [],
        seckill.CLAIM.parse(claims),
        due,
    )


ADMIT = scripts.Script(
    "admit",
    package="apps.coupons.gateway",
    reply=_parse_reply,
    parts=(token_cache.RESOLVE_TOKEN, limiter.HIT, seckill.CLAIM),
)


async def admit(requests: Sequence[ClaimRequest]) -> Sequence[Decision]:
    """The answer to each request; one whose own keys are broken has its error. Raises client.UNAVAILABLE."""
    transport = client.async_transport("gateway")
    decisions: list[Decision | None] = [None] * len(requests)
    if transport.is_cluster:
        decisions = await _check_people(transport, requests)
    indexes_by_sale: dict[int, list[int]] = {}
    for index, request in enumerate(requests):
        if decisions[index] is None:
            indexes_by_sale.setdefault(request.voucher_id, []).append(index)
    batches = [[requests[index] for index in indexes] for indexes in indexes_by_sale.values()]
    decided = await _decide_sales(transport, batches)
    for index, decision in zip(
        chain.from_iterable(indexes_by_sale.values()), chain.from_iterable(decided), strict=True
    ):
        decisions[index] = decision
    claimed = [(request.voucher_id, request.user_id) for request in requests]
    return await seckill.confirm(
        transport, claimed, [decision for decision in decisions if decision is not None]
    )


async def _decide_sales(
    transport: AsyncTransport, batches: Sequence[Sequence[ClaimRequest]]
) -> list[Sequence[Decision]]:
    """The decisions about the claims on each sale: a script call a sale, in one exchange a node."""
    script: scripts.Script[Any] = seckill.CLAIM if transport.is_cluster else ADMIT
    calls = [_build_sale_call(batch) for batch in batches]
    if not transport.is_cluster:
        calls = _prefix_people(calls, batches)
    replies = await seckill.send(transport, script, calls)
    return [
        await _decide_alone(transport, batch, reply)
        if isinstance(reply, Exception)
        else _merge_answers(batch, reply)
        for batch, reply in zip(batches, replies, strict=True)
    ]


def _prefix_people(
    calls: Sequence[scripts.Call], batches: Sequence[Sequence[ClaimRequest]]
) -> list[scripts.Call]:
    """(keys, args) of ADMIT for requests of one sale: those of its parts, one after another."""
    requests = list(chain.from_iterable(batches))
    logins = iter(_build_login_keys([request.digest for request in requests]))
    hits = iter(_build_limit_keys([str(request.user_id) for request in requests]))
    return [
        (
            [*islice(logins, len(batch)), *islice(hits, len(batch)), *sale_keys],
            [*_people_args, *claim_args],
        )
        for (sale_keys, claim_args), batch in zip(calls, batches, strict=True)
    ]


def _build_sale_call(batch: Sequence[ClaimRequest]) -> scripts.Call:
    return seckill.build_call(
        batch[0].voucher_id, [(request.user_id, request.request_token) for request in batch]
    )


async def _decide_alone(
    transport: AsyncTransport, batch: Sequence[ClaimRequest], error: Exception
) -> Sequence[Decision]:
    """The decision about each request of a batch that failed: a person's broken key harms no other.

    It fails the script before that counts an attempt.
    """
    if len(batch) == 1 or isinstance(error, client.UNAVAILABLE):
        return [error] * len(batch)
    return [(await _decide_sales(transport, [[request]]))[0][0] for request in batch]


def _merge_answers(
    batch: Sequence[ClaimRequest], reply: AdmitReply | list[ClaimAnswer]
) -> Sequence[ClaimAnswer]:
    """The answers to a sale's claims in their order, from the reply of ADMIT or of CLAIM."""
    if isinstance(reply, list):
        return reply
    for index, token_id in zip(reply.due[::2], reply.due[1::2], strict=True):
        renewals.note(int(token_id), batch[int(index) - 1].digest)
    if not reply.unresolved and not reply.refusals:
        return reply.claims
    answers = {
        index - 1: _refuse_copy(copy) for index, copy in zip(reply.unresolved, reply.copies, strict=True)
    }
    live = [index for index in range(len(batch)) if index not in answers]
    verdicts = limiter.parse_verdicts([limits.CLAIM_LIMIT], len(live), reply.refusals)
    for index, verdict in zip(live, verdicts, strict=True):
        if verdict is not limiter.ALLOWED:
            answers[index] = _refuse_attempt(verdict)
    claims = iter(reply.claims)
    return [answers[index] if index in answers else next(claims) for index in range(len(batch))]


async def _check_people(transport: AsyncTransport, requests: Sequence[ClaimRequest]) -> list[Decision | None]:
    """On a cluster: the refusal of each request by log-in or limit, None for those that may claim."""

    async def find_logins(batch: list[ClaimRequest]) -> list[TokenCopy]:
        return await token_cache.find_many_async(transport, [request.digest for request in batch])

    async def charge(user_ids: list[int]) -> list[Verdict]:
        return await limiter.ahit(transport, limits.claim_limit(), user_ids)

    copies = await call_one_by_one_on_error(find_logins, list(requests))
    decisions = [_refuse_login(request, copy) for request, copy in zip(requests, copies, strict=True)]
    live = [index for index, decision in enumerate(decisions) if decision is None]
    verdicts = await call_one_by_one_on_error(charge, [requests[index].user_id for index in live])
    for index, verdict in zip(live, verdicts, strict=True):
        if isinstance(verdict, Exception):
            decisions[index] = verdict
        elif verdict is not limiter.ALLOWED:
            decisions[index] = _refuse_attempt(verdict)
    return decisions


def _refuse_login(request: ClaimRequest, copy: TokenCopy | Exception) -> Decision | None:
    """None for a live log-in of the person that the token names."""
    if isinstance(copy, Exception):
        return copy
    if copy.state in {CopyState.ABSENT, CopyState.REFUSED} or copy.user_id != request.user_id:
        return _refuse_copy(copy)
    if copy.state is CopyState.DUE:
        renewals.note(copy.token_id, request.digest)
    return None


def _refuse_copy(copy: TokenCopy) -> ClaimAnswer:
    """The answer to a claim whose log-in isn't live, or is another person's."""
    is_absent = copy.state is CopyState.ABSENT
    return ClaimAnswer(Outcome.LOG_IN_UNKNOWN if is_absent else Outcome.NOT_LOGGED_IN)


def _refuse_attempt(verdict: Verdict) -> ClaimAnswer:
    return ClaimAnswer(Outcome.TOO_OFTEN, retry_after=verdict.retry_after)


def follow_claim_limit() -> None:
    """Take over the limit of claims that operators have set."""
    global _people_args
    _people_args = (*_login_args, *limiter.prepare_hits(limits.claim_limit())[1])
