"""A crowd at a sale's door: who is it, may they try, do they get a unit; three exchanges for all of a batch.

The rules are the scripts of token_copies, limiter and seckill, the same that Django's view calls one by one.
Source: docs/performance.md.
"""

from collections.abc import Sequence
from itertools import chain, islice
from typing import NamedTuple

from redis.exceptions import ConnectionError as ConnectionLost

from apps.accounts import token_copies
from apps.accounts.token_copies import Copy, State
from apps.coupons import keys, limits, seckill
from apps.coupons.seckill import Claim
from apps.redis_kit import client, crash, limiter, scripts
from apps.redis_kit.batching import answered
from apps.redis_kit.limiter import Verdict

#: More in one script call would hold Redis for longer than two milliseconds.
MOST = 128


class Ask(NamedTuple):
    """Digest of a log-in, voucher, request token ("" asks no more than who it is), the person if known."""

    digest: str
    voucher_id: int
    request_token: str
    user_id: int = 0


#: Voucher, person and request token of somebody who is known; there are too many for named ones.
_Try = tuple[int, int, str]
#: Where somebody's way ended: at the log-in, at the limit, or with the sale's answer.
End = Copy | Verdict | Claim


async def decide(asks: Sequence[Ask]) -> list[End | Exception]:
    """Where each one's way ends; an error of theirs alone is theirs. Raises client.UNAVAILABLE."""
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
    sales: dict[int, list[tuple[int, str]]] = {}
    for voucher_id, user_id, request_token in tries:
        sales.setdefault(voucher_id, []).append((user_id, request_token))
    size = 1 if client.awire("gateway").is_cluster else seckill.SALES_A_CALL
    order = sorted(sales, key=keys.partition_of)
    parts = [order[start : start + size] for start in range(0, len(order), size)]
    calls = [seckill.batch({voucher_id: sales[voucher_id] for voucher_id in part}) for part in parts]
    told = chain.from_iterable(await _surely(calls))
    answers = {voucher_id: iter(list(islice(told, len(sales[voucher_id])))) for voucher_id in order}
    return [next(answers[voucher_id]) for voucher_id, _, _ in tries]


async def _surely(calls: Sequence[scripts.Call]) -> list[list[Claim]]:
    """A lost connection is tried once more, which the request tokens make safe."""
    try:
        return await seckill.CLAIM.aeach(client.awire("gateway"), calls)
    except ConnectionLost:
        return await seckill.CLAIM.aeach(client.awire("gateway"), calls)
