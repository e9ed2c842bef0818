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

from apps.accounts import token_copies
from apps.accounts.token_copies import Copy, State
from apps.coupons import keys, limits, seckill
from apps.coupons.seckill import Claim
from apps.redis_kit import client, crash, limiter, scripts
from apps.redis_kit.batching import answered
from apps.redis_kit.limiter import Verdict

#: More in one script call would hold Redis for longer than two milliseconds.
MOST = 64


class Ask(NamedTuple):
    """Digest of a log-in, voucher, request token ("" asks no more than who it is).

    `named` is whom the token names, 0 for nobody; `user_id` is who it is, when somebody knows already.
    """

    digest: str
    voucher_id: int
    request_token: str
    named: int = 0
    user_id: int = 0


class Admitted(NamedTuple):
    """What admit.lua says: places, from 1, of log-ins that don't do, and these; then of the others."""

    places: list[int]
    copies: list[Copy]
    refusals: list[limiter.Refusal]
    claims: list[Claim]


#: Voucher, person and request token of somebody who is known; there are too many for named ones.
_Try = tuple[int, int, str]
#: Places of claims, by sale.
_Part = dict[int, list[int]]
#: Where somebody's way ended: at the log-in, at the limit, or with the sale's answer.
End = Copy | Verdict | Claim
Reply = TypeVar("Reply")
Told = TypeVar("Told")


def _admitted(raw: Sequence[Any]) -> Admitted:
    places, copies, refusals, claims = raw
    return Admitted(
        places,
        token_copies.RESOLVE.parse(copies),
        limiter.HIT.parse(refusals),
        seckill.CLAIM.parse(claims),
    )


ADMIT = scripts.Script(
    "admit",
    package="apps.coupons",
    reply=_admitted,
    parts=(token_copies.RESOLVE, limiter.HIT, seckill.CLAIM),
)


async def admit(asks: Sequence[Ask]) -> Sequence[End | Exception]:
    """Where each one's way ends whom a token names, in one exchange. Raises client.UNAVAILABLE."""
    if client.awire("gateway").is_cluster:
        return await decide(asks)
    parts = _parted([ask.voucher_id for ask in asks], seckill.SALES_A_CALL)
    crowds = [[asks[place] for place in chain.from_iterable(part.values())] for part in parts]
    calls = [
        _together(
            crowd,
            {sale: [(asks[place].named, asks[place].request_token) for place in part[sale]] for sale in part},
        )
        for part, crowd in zip(parts, crowds, strict=True)
    ]
    told = await _surely(ADMIT, calls)
    crash.point("decided")
    return _in_order(parts, [_ends(len(crowd), one) for crowd, one in zip(crowds, told, strict=True)])


def _together(crowd: Sequence[Ask], claims: seckill.Claims) -> scripts.Call:
    """(keys, args) of ADMIT: those of its parts, one after another."""
    copies, copied = token_copies.batch([ask.digest for ask in crowd])
    hits, hit = limiter.batch(limits.CLAIMS, [ask.named for ask in crowd])
    sales, claimed = seckill.batch(claims)
    return [*copies, *hits, *sales], [len(crowd), *copied, *hit, *claimed]


def _ends(many: int, said: Admitted) -> Sequence[End]:
    if not said.places and not said.refusals:
        return said.claims
    ends: dict[int, End] = {place - 1: copy for place, copy in zip(said.places, said.copies, strict=True)}
    live = [place for place in range(many) if place not in ends]
    for place, verdict in zip(live, limiter.verdicts([limits.CLAIMS], len(live), said.refusals), strict=True):
        if verdict is not limiter.ALLOWED:
            ends[place] = verdict
    claims = iter(said.claims)
    return [ends[place] if place in ends else next(claims) for place in range(many)]


async def decide(asks: Sequence[Ask]) -> list[End | Exception]:
    """Where each one's way ends, in three exchanges; an error of theirs alone is theirs.

    Raises client.UNAVAILABLE.
    """
    ends: list[End | Exception] = list(await answered(_who, list(asks)))
    tries = {
        place: (ask.voucher_id, end.user_id, ask.request_token)
        for place, (ask, end) in enumerate(zip(asks, ends, strict=True))
        if isinstance(end, Copy) and end.state is State.LIVE and ask.request_token
    }
    for place, verdict in zip(tries, await answered(_may_try, list(tries.values())), strict=True):
        ends[place] = verdict
    let_in = [place for place in tries if ends[place] is limiter.ALLOWED]
    claims = await answered(_claim, [tries[place] for place in let_in])
    for place, claim in zip(let_in, claims, strict=True):
        ends[place] = claim
    crash.point("decided")
    return ends


async def _who(asks: Sequence[Ask]) -> list[Copy]:
    """The log-in of each; those whom SQL had to tell are known already."""
    unknown = [ask.digest for ask in asks if not ask.user_id]
    found = iter(await token_copies.alook(client.awire("gateway"), unknown) if unknown else ())
    return [Copy(State.LIVE, ask.user_id) if ask.user_id else next(found) for ask in asks]


async def _may_try(tries: Sequence[_Try]) -> list[Verdict]:
    return await limiter.ahit(client.awire("gateway"), limits.CLAIMS, [user_id for _, user_id, _ in tries])


async def _claim(tries: Sequence[_Try]) -> list[Claim]:
    """All in one exchange: a call for many sales, or on a cluster, whose slots part them, one for each."""
    size = 1 if client.awire("gateway").is_cluster else seckill.SALES_A_CALL
    parts = _parted([voucher_id for voucher_id, _, _ in tries], size)
    calls = [
        seckill.batch({sale: [tries[place][1:] for place in part[sale]] for sale in part}) for part in parts
    ]
    told = await _surely(seckill.CLAIM, calls)
    return _in_order(parts, told)


def _parted(vouchers: Sequence[int], size: int) -> list[_Part]:
    """The places of claims by their sales, those of one partition side by side, `size` sales a part."""
    sales: _Part = {}
    for place, voucher_id in enumerate(vouchers):
        sales.setdefault(voucher_id, []).append(place)
    order = sorted(sales, key=keys.partition_of)
    return [
        {sale: sales[sale] for sale in order[start : start + size]} for start in range(0, len(order), size)
    ]


def _in_order(parts: Iterable[_Part], told: Iterable[Iterable[Told]]) -> list[Told]:
    """What was told of each part's claims, in the order in which they came."""
    places = chain.from_iterable(chain.from_iterable(part.values()) for part in parts)
    found = dict(zip(places, chain.from_iterable(told), strict=True))
    return [found[place] for place in range(len(found))]


async def _surely(script: scripts.Script[Reply], calls: Sequence[scripts.Call]) -> list[Reply]:
    """A lost connection is tried once more, which request tokens make safe; an attempt may count twice."""
    try:
        return await script.aeach(client.awire("gateway"), calls)
    except ConnectionLost:
        return await script.aeach(client.awire("gateway"), calls)
