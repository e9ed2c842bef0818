"""A crowd at a sale's door: who is it, may they try, do they get a unit; all of a batch ask together.

The rules are the scripts of token_copies, limiter and seckill, which Django's view calls one after another.
`admit` puts them in one call, whose keys are known since tokens name their persons; `decide`, for a cluster,
whose slots part the keys, and for those whom no token names, takes three exchanges.
Source: docs/performance.md.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from redis.exceptions import ConnectionError as ConnectionLost

from apps.accounts.sessions import token_cache
from apps.accounts.sessions.token_cache import CopyState, TokenCopy
from apps.coupons import keys, limits
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimResult
from apps.redis_kit import client, fault_injection, limiter, scripts
from apps.redis_kit.batching import call_one_by_one_on_error
from apps.redis_kit.limiter import Verdict

#: More in one script call would hold Redis for longer than two milliseconds.
MAX_BATCH = 64


class ClaimRequest(NamedTuple):
    """Digest of a log-in, voucher, request token ("" asks no more than who it is).

    `named` is whom the token names, 0 for nobody; `user_id` is who it is, when somebody knows already.
    """

    digest: str
    voucher_id: int
    request_token: str
    token_user_id: int = 0
    user_id: int = 0


class AdmitReply(NamedTuple):
    """What admit.lua says: places, from 1, of log-ins that don't do, and these; then of the others."""

    places: list[int]
    copies: list[TokenCopy]
    refusals: list[limiter.Refusal]
    claims: list[ClaimResult]


#: Voucher, person and request token of somebody who is known; there are too many for named ones.
_IdentifiedClaim = tuple[int, int, str]
#: Places of claims, by sale.
_IndexesBySale = dict[int, list[int]]
#: Where somebody's way ended: at the log-in, at the limit, or with the sale's answer.
AdmissionOutcome = TokenCopy | Verdict | ClaimResult
Reply = TypeVar("Reply")
Result = TypeVar("Result")


def _parse_reply(raw: Sequence[Any]) -> AdmitReply:
    places, copies, refusals, claims = raw
    return AdmitReply(
        places,
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


async def admit(asks: Sequence[ClaimRequest]) -> Sequence[AdmissionOutcome | Exception]:
    """Where each one's way ends whom a token names, in one exchange. Raises client.UNAVAILABLE."""
    if client.async_transport("gateway").is_cluster:
        return await admit_in_stages(asks)
    parts = _split_by_sale([ask.voucher_id for ask in asks], seckill.MAX_SALES_PER_CALL)
    crowds = [[asks[place] for place in chain.from_iterable(part.values())] for part in parts]
    calls = [
        _build_call(
            crowd,
            {
                sale: [(asks[place].token_user_id, asks[place].request_token) for place in part[sale]]
                for sale in part
            },
        )
        for part, crowd in zip(parts, crowds, strict=True)
    ]
    told = await _call_idempotent(ADMIT, calls)
    fault_injection.point("decided")
    return _restore_order(
        parts, [_merge_outcomes(len(crowd), one) for crowd, one in zip(crowds, told, strict=True)]
    )


def _build_call(crowd: Sequence[ClaimRequest], claims: seckill.ClaimsBySale) -> scripts.Call:
    """(keys, args) of ADMIT: those of its parts, one after another."""
    copies, copied = token_cache.resolve_call([ask.digest for ask in crowd])
    hits, hit = limiter.build_hit_call(limits.CLAIM_LIMIT, [ask.token_user_id for ask in crowd])
    sales, claimed = seckill.build_call(claims)
    return [*copies, *hits, *sales], [len(crowd), *copied, *hit, *claimed]


def _merge_outcomes(many: int, said: AdmitReply) -> Sequence[AdmissionOutcome]:
    if not said.places and not said.refusals:
        return said.claims
    ends: dict[int, AdmissionOutcome] = {
        place - 1: copy for place, copy in zip(said.places, said.copies, strict=True)
    }
    live = [place for place in range(many) if place not in ends]
    for place, verdict in zip(
        live, limiter.parse_verdicts([limits.CLAIM_LIMIT], len(live), said.refusals), strict=True
    ):
        if verdict is not limiter.ALLOWED:
            ends[place] = verdict
    claims = iter(said.claims)
    return [ends[place] if place in ends else next(claims) for place in range(many)]


async def admit_in_stages(asks: Sequence[ClaimRequest]) -> list[AdmissionOutcome | Exception]:
    """Where each one's way ends, in three exchanges; an error of theirs alone is theirs.

    Raises client.UNAVAILABLE.
    """
    ends: list[AdmissionOutcome | Exception] = list(
        await call_one_by_one_on_error(_resolve_tokens, list(asks))
    )
    tries = {
        place: (ask.voucher_id, end.user_id, ask.request_token)
        for place, (ask, end) in enumerate(zip(asks, ends, strict=True))
        if isinstance(end, TokenCopy) and end.state is CopyState.LIVE and ask.request_token
    }
    for place, verdict in zip(
        tries, await call_one_by_one_on_error(_check_limits, list(tries.values())), strict=True
    ):
        ends[place] = verdict
    let_in = [place for place in tries if ends[place] is limiter.ALLOWED]
    claims = await call_one_by_one_on_error(_claim_units, [tries[place] for place in let_in])
    for place, claim in zip(let_in, claims, strict=True):
        ends[place] = claim
    fault_injection.point("decided")
    return ends


async def _resolve_tokens(asks: Sequence[ClaimRequest]) -> list[TokenCopy]:
    """The log-in of each; those whom SQL had to tell are known already."""
    unknown = [ask.digest for ask in asks if not ask.user_id]
    found = iter(
        await token_cache.find_many_async(client.async_transport("gateway"), unknown) if unknown else ()
    )
    return [TokenCopy(CopyState.LIVE, ask.user_id) if ask.user_id else next(found) for ask in asks]


async def _check_limits(tries: Sequence[_IdentifiedClaim]) -> list[Verdict]:
    return await limiter.ahit(
        client.async_transport("gateway"), limits.CLAIM_LIMIT, [user_id for _, user_id, _ in tries]
    )


async def _claim_units(tries: Sequence[_IdentifiedClaim]) -> list[ClaimResult]:
    """All in one exchange: a call for many sales, or on a cluster, whose slots part them, one for each."""
    size = 1 if client.async_transport("gateway").is_cluster else seckill.MAX_SALES_PER_CALL
    parts = _split_by_sale([voucher_id for voucher_id, _, _ in tries], size)
    calls = [
        seckill.build_call({sale: [tries[place][1:] for place in part[sale]] for sale in part})
        for part in parts
    ]
    told = await _call_idempotent(seckill.CLAIM, calls)
    return _restore_order(parts, told)


def _split_by_sale(vouchers: Sequence[int], size: int) -> list[_IndexesBySale]:
    """The places of claims by their sales, those of one partition side by side, `size` sales a part."""
    sales: _IndexesBySale = {}
    for place, voucher_id in enumerate(vouchers):
        sales.setdefault(voucher_id, []).append(place)
    order = sorted(sales, key=keys.partition_of)
    return [
        {sale: sales[sale] for sale in order[start : start + size]} for start in range(0, len(order), size)
    ]


def _restore_order(parts: Iterable[_IndexesBySale], told: Iterable[Iterable[Result]]) -> list[Result]:
    """What was told of each part's claims, in the order in which they came."""
    places = chain.from_iterable(chain.from_iterable(part.values()) for part in parts)
    found = dict(zip(places, chain.from_iterable(told), strict=True))
    return [found[place] for place in range(len(found))]


async def _call_idempotent(script: scripts.Script[Reply], calls: Sequence[scripts.Call]) -> list[Reply]:
    """A lost connection is tried once more, which request tokens make safe; an attempt may count twice."""
    try:
        return await script.acall_many(client.async_transport("gateway"), calls)
    except ConnectionLost:
        return await script.acall_many(client.async_transport("gateway"), calls)
