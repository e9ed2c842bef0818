"""Decides a batch of claims: finds each claim's person, checks their rate limit and the sale's stock.

The rules are the scripts of token_cache, limiter and seckill, which Django's views call one after another;
the calls, the replies, the repetition and the replicas of the last are seckill's for both. admit.lua runs all
three for the claims on one sale; the sales of a batch are calls of one exchange. Tokens name their person, so
every key is known beforehand. On a Redis Cluster log-ins, limits and a sale lie in different slots: there
each step is an exchange with every node that it concerns.
Source: docs/performance.md.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from apps.accounts.sessions import renewals, token_cache
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.coupons import limits
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimAnswer, Decision, Outcome
from apps.coupons.gateway.claim_answers import Claim
from apps.redis_kit import client, limiter, scripts
from apps.redis_kit.batching import call_one_by_one_on_error
from apps.redis_kit.limiter import Verdict
from apps.redis_kit.transport import AsyncTransport

#: More claims on one sale would hold Redis for longer than a millisecond.
MAX_BATCH = 64


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


async def admit(claims: Sequence[Claim]) -> Sequence[Decision]:
    """The decision about each claim; an error for one whose own keys are broken. Raises UNAVAILABLE."""
    transport = client.async_transport("gateway")
    decisions: list[Decision | None] = [None] * len(claims)
    if transport.is_cluster:
        decisions = await _check_people(transport, claims)
    indexes_by_sale: dict[int, list[int]] = {}
    for index, claim in enumerate(claims):
        if decisions[index] is None:
            indexes_by_sale.setdefault(claim.voucher_id, []).append(index)
    batches = [[claims[index] for index in indexes] for indexes in indexes_by_sale.values()]
    for indexes, decided in zip(
        indexes_by_sale.values(), await _decide_sales(transport, batches), strict=True
    ):
        for index, decision in zip(indexes, decided, strict=True):
            decisions[index] = decision
    return await seckill.confirm(transport, claims, cast("list[Decision]", decisions))


async def _decide_sales(
    transport: AsyncTransport, batches: Sequence[Sequence[Claim]]
) -> list[Sequence[Decision]]:
    """The decisions about the claims on each sale: a script call a sale, in one exchange a node."""
    script: scripts.Script[Any] = seckill.CLAIM if transport.is_cluster else ADMIT
    build = _build_sale_call if transport.is_cluster else _build_call
    replies = await seckill.send(transport, script, [build(batch) for batch in batches])
    return [
        await _decide_alone(transport, batch, reply)
        if isinstance(reply, Exception)
        else _merge_answers(batch, reply)
        for batch, reply in zip(batches, replies, strict=True)
    ]


def _build_call(batch: Sequence[Claim]) -> scripts.Call:
    """(keys, args) of ADMIT for claims on one sale: those of its parts, one after another."""
    sale_keys, claim_args = _build_sale_call(batch)
    logins = _build_login_keys([claim.digest for claim in batch])
    hits = _build_limit_keys([str(claim.user_id) for claim in batch])
    return [*logins, *hits, *sale_keys], [*_people_args, *claim_args]


def _build_sale_call(batch: Sequence[Claim]) -> scripts.Call:
    """(keys, args) of CLAIM for the same."""
    return seckill.build_call(batch[0].voucher_id, [(claim.user_id, claim.request_token) for claim in batch])


async def _decide_alone(
    transport: AsyncTransport, batch: Sequence[Claim], error: Exception
) -> Sequence[Decision]:
    """The decision about each claim of a batch that failed: a person's broken key harms no other.

    It fails the script before that counts an attempt.
    """
    if len(batch) == 1 or isinstance(error, client.UNAVAILABLE):
        return [error] * len(batch)
    return [(await _decide_sales(transport, [[claim]]))[0][0] for claim in batch]


def _merge_answers(batch: Sequence[Claim], reply: AdmitReply | list[ClaimAnswer]) -> Sequence[ClaimAnswer]:
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


async def _check_people(transport: AsyncTransport, claims: Sequence[Claim]) -> list[Decision | None]:
    """On a cluster: the refusal of each claim by log-in or limit, None for those that may go on."""

    async def find_logins(batch: list[Claim]) -> list[TokenCopy]:
        return await token_cache.find_many_async(transport, [claim.digest for claim in batch])

    async def charge(user_ids: list[int]) -> list[Verdict]:
        return await limiter.ahit(transport, limits.claim_limit(), user_ids)

    copies = await call_one_by_one_on_error(find_logins, list(claims))
    decisions = [_refuse_login(claim, copy) for claim, copy in zip(claims, copies, strict=True)]
    live = [index for index, decision in enumerate(decisions) if decision is None]
    verdicts = await call_one_by_one_on_error(charge, [claims[index].user_id for index in live])
    for index, verdict in zip(live, verdicts, strict=True):
        if isinstance(verdict, Exception):
            decisions[index] = verdict
        elif verdict is not limiter.ALLOWED:
            decisions[index] = _refuse_attempt(verdict)
    return decisions


def _refuse_login(claim: Claim, copy: TokenCopy | Exception) -> Decision | None:
    """None for a live log-in of the person that the token names."""
    if isinstance(copy, Exception):
        return copy
    if copy.state in {CopyState.ABSENT, CopyState.REFUSED} or copy.user_id != claim.user_id:
        return _refuse_copy(copy)
    if copy.state is CopyState.DUE:
        renewals.note(copy.token_id, claim.digest)
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
