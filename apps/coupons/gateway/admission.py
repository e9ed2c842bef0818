"""Decides a batch of claims: finds each claim's person, checks their rate limit and the sale's stock.

The rules are the scripts of token_cache, limiter and seckill, which Django's view calls one after another.
`admit` runs all three for each sale in one script call, and the sales of a batch in one exchange; it needs
tokens that name their person, so that every key is known beforehand. `admit_in_stages` takes three exchanges:
for older tokens, and on a Redis Cluster, where log-ins, limits and a sale lie in different slots.
Source: docs/performance.md.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from redis.exceptions import ConnectionError as ConnectionLost

from apps.accounts.sessions import token_cache
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.coupons import limits
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimResult
from apps.redis_kit import client, fault_injection, limiter, scripts
from apps.redis_kit.batching import call_one_by_one_on_error
from apps.redis_kit.limiter import Verdict

#: More claims on one sale would hold Redis for longer than a millisecond.
MAX_BATCH = 64


class ClaimRequest(NamedTuple):
    """One claim as the gateway reads it; with an empty `request_token` only the log-in is checked.

    `digest` is the log-in's, empty when there is none. `token_user_id` is the person that the token names, 0
    for an older token. `user_id` is the person whom SQL has found meanwhile, else 0.
    """

    digest: str
    voucher_id: int
    request_token: str
    token_user_id: int = 0
    user_id: int = 0


class AdmitReply(NamedTuple):
    """The answer of admit.lua about one sale's claims.

    `unresolved` are the indexes, from 1, of the claims without a live log-in, `copies` what Redis holds of
    these log-ins. `refusals` are about the other claims, `claims` about those that the limit allows.
    """

    unresolved: list[int]
    copies: list[TokenCopy]
    refusals: list[limiter.Refusal]
    claims: list[ClaimResult]


#: Voucher id, user id and request token of a claim whose person is known.
_IdentifiedClaim = tuple[int, int, str]
#: The step that ended a claim: the log-in, the limit, or the sale's decision.
AdmissionOutcome = TokenCopy | Verdict | ClaimResult
Result = TypeVar("Result")


def _parse_reply(raw: Sequence[Any]) -> AdmitReply:
    unresolved, copies, refusals, claims = raw
    return AdmitReply(
        unresolved,
        token_cache.RESOLVE_TOKEN.parse(copies),
        limiter.HIT.parse(refusals),
        seckill.CLAIM.parse(claims),
    )


ADMIT = scripts.Script(
    "admit",
    package="apps.coupons.gateway",
    reply=_parse_reply,
    parts=(token_cache.RESOLVE_TOKEN, limiter.HIT, seckill.CLAIM),
)


async def admit(requests: Sequence[ClaimRequest]) -> Sequence[AdmissionOutcome | Exception]:
    """The outcome of each request, in one exchange; all of their tokens name a person.

    A request whose own keys are broken has its error as outcome. Raises client.UNAVAILABLE.
    """
    if client.async_transport("gateway").is_cluster:
        return await admit_in_stages(requests)
    groups = _group_by_sale([request.voucher_id for request in requests])
    batches = [[requests[index] for index in indexes] for indexes in groups.values()]
    replies = await _admit_idempotent([_build_call(batch) for batch in batches])
    fault_injection.point("decided")
    outcomes = [await _read_outcomes(batch, reply) for batch, reply in zip(batches, replies, strict=True)]
    return _in_request_order(groups.values(), outcomes)


def _build_call(batch: Sequence[ClaimRequest]) -> scripts.Call:
    """(keys, args) of ADMIT for requests of one sale: those of its parts, one after another."""
    users = [request.token_user_id for request in batch]
    claims = [(request.token_user_id, request.request_token) for request in batch]
    copies, copy_args = token_cache.resolve_call([request.digest for request in batch])
    hits, hit_args = limiter.build_hit_call(limits.CLAIM_LIMIT, users)
    sale, claim_args = seckill.build_call(batch[0].voucher_id, claims)
    return [*copies, *hits, *sale], [*copy_args, *hit_args, *claim_args]


async def _admit_idempotent(calls: Sequence[scripts.Call]) -> list[AdmitReply | Exception]:
    """The replies. A lost connection is retried once: request tokens make it safe; a try may count twice."""
    try:
        return await ADMIT.acall_each(client.async_transport("gateway"), calls)
    except ConnectionLost:
        return await ADMIT.acall_each(client.async_transport("gateway"), calls)


async def _read_outcomes(
    batch: Sequence[ClaimRequest], reply: AdmitReply | Exception
) -> Sequence[AdmissionOutcome | Exception]:
    if not isinstance(reply, Exception):
        return _merge_outcomes(len(batch), reply)
    if isinstance(reply, client.UNAVAILABLE):
        raise reply
    if len(batch) == 1:
        return [reply]
    # A person's broken key fails the script before it counts an attempt: each claim is then decided alone.
    return [(await admit([request]))[0] for request in batch]


def _merge_outcomes(count: int, reply: AdmitReply) -> Sequence[AdmissionOutcome]:
    if not reply.unresolved and not reply.refusals:
        return reply.claims
    outcomes: dict[int, AdmissionOutcome] = {
        index - 1: copy for index, copy in zip(reply.unresolved, reply.copies, strict=True)
    }
    live = [index for index in range(count) if index not in outcomes]
    verdicts = limiter.parse_verdicts([limits.CLAIM_LIMIT], len(live), reply.refusals)
    for index, verdict in zip(live, verdicts, strict=True):
        if verdict is not limiter.ALLOWED:
            outcomes[index] = verdict
    claims = iter(reply.claims)
    return [outcomes[index] if index in outcomes else next(claims) for index in range(count)]


async def admit_in_stages(requests: Sequence[ClaimRequest]) -> list[AdmissionOutcome | Exception]:
    """The outcome of each request, in three exchanges: log-ins, limits, claims.

    A request whose own keys are broken has its error as outcome. Raises client.UNAVAILABLE.
    """
    outcomes: list[AdmissionOutcome | Exception] = list(
        await call_one_by_one_on_error(_resolve_tokens, list(requests))
    )
    identified = {
        index: (request.voucher_id, outcome.user_id, request.request_token)
        for index, (request, outcome) in enumerate(zip(requests, outcomes, strict=True))
        if isinstance(outcome, TokenCopy) and outcome.state is CopyState.LIVE and request.request_token
    }
    verdicts = await call_one_by_one_on_error(_check_limits, list(identified.values()))
    for index, verdict in zip(identified, verdicts, strict=True):
        outcomes[index] = verdict
    allowed = [index for index in identified if outcomes[index] is limiter.ALLOWED]
    claims = await call_one_by_one_on_error(_claim_stock, [identified[index] for index in allowed])
    for index, claim in zip(allowed, claims, strict=True):
        outcomes[index] = claim
    fault_injection.point("decided")
    return outcomes


async def _resolve_tokens(requests: Sequence[ClaimRequest]) -> list[TokenCopy]:
    """The log-in of each request; one that SQL has resolved isn't looked up again."""
    unknown = [request.digest for request in requests if not request.user_id]
    copies = iter(
        await token_cache.find_many_async(client.async_transport("gateway"), unknown) if unknown else ()
    )
    return [
        TokenCopy(CopyState.LIVE, request.user_id) if request.user_id else next(copies)
        for request in requests
    ]


async def _check_limits(claims: Sequence[_IdentifiedClaim]) -> list[Verdict]:
    return await limiter.ahit(
        client.async_transport("gateway"), limits.CLAIM_LIMIT, [user_id for _, user_id, _ in claims]
    )


async def _claim_stock(claims: Sequence[_IdentifiedClaim]) -> list[ClaimResult]:
    """The decision about each claim: a script call for each sale, all in one exchange."""
    groups = _group_by_sale([voucher_id for voucher_id, _, _ in claims])
    calls = [
        seckill.build_call(voucher_id, [claims[index][1:] for index in indexes])
        for voucher_id, indexes in groups.items()
    ]
    try:
        results = await seckill.CLAIM.acall_many(client.async_transport("gateway"), calls)
    except ConnectionLost:
        # Tried once more, which request tokens make safe.
        results = await seckill.CLAIM.acall_many(client.async_transport("gateway"), calls)
    return _in_request_order(groups.values(), results)


def _group_by_sale(voucher_ids: Sequence[int]) -> dict[int, list[int]]:
    """The indexes of the claims on each voucher id."""
    groups: dict[int, list[int]] = {}
    for index, voucher_id in enumerate(voucher_ids):
        groups.setdefault(voucher_id, []).append(index)
    return groups


def _in_request_order(groups: Iterable[list[int]], results: Iterable[Iterable[Result]]) -> list[Result]:
    """Results that came group by group, in the order of the requests."""
    by_index = dict(zip(chain.from_iterable(groups), chain.from_iterable(results), strict=True))
    return [by_index[index] for index in range(len(by_index))]
