"""Decides claims on a flash sale in Redis (claim.lua): window, one order per person, stock."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from typing import Any

from django.conf import settings
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError

from apps.coupons import keys, refusals
from apps.coupons.claims import loading, receipts, replicas
from apps.metrics import gathering
from apps.redis_kit import client, fault_injection, ids, scripts


class Outcome(IntEnum):
    """What `claim.lua` decides about one claim."""

    NOT_READY = 0
    ACCEPTED = 1
    ALREADY_BOUGHT = 2
    NOT_STARTED = 3
    ENDED = 4
    SOLD_OUT = 5
    BUSY = 6
    NOT_FOUND = 7


#: The answer to each outcome that isn't ACCEPTED.
REFUSALS = {
    Outcome.NOT_READY: refusals.NOT_READY,
    Outcome.ALREADY_BOUGHT: refusals.ALREADY_BOUGHT,
    Outcome.NOT_STARTED: refusals.NOT_STARTED,
    Outcome.ENDED: refusals.ENDED,
    Outcome.SOLD_OUT: refusals.SOLD_OUT,
    Outcome.BUSY: refusals.BUSY,
    Outcome.NOT_FOUND: refusals.NOT_FOUND,
}


@dataclass(slots=True, unsafe_hash=True)
class ClaimResult:
    """The decision about one claim; `order_id` comes with ACCEPTED and ALREADY_BOUGHT.

    `epoch` is the load of the sale that has decided it: a repeated claim may hear a later one.
    """

    outcome: Outcome
    order_id: int | None = None
    epoch: int = field(default=0, compare=False)


#: The user id and the request token of each claim on one sale.
SaleClaims = Sequence[tuple[int, str]]

_OUTCOMES = tuple(Outcome)
_COUNTERS = tuple(f"claims.{outcome.name.lower()}" for outcome in Outcome)
_RESULTS_WITHOUT_ORDER = tuple(ClaimResult(outcome) for outcome in Outcome)


def parse_results(raw: Sequence[Any]) -> list[ClaimResult]:
    """The decisions in the order of the claims, from claim.lua's flat list: outcomes, order ids, epoch."""
    if not raw:
        return []
    epoch = raw[-1]
    return [
        ClaimResult(_OUTCOMES[outcome], int(number), epoch) if number else _RESULTS_WITHOUT_ORDER[outcome]
        for outcome, number in zip(raw[:-1:2], raw[1::2], strict=True)
    ]


CLAIM = scripts.Script("claim", package="apps.coupons.claims", reply=parse_results)


def claim(voucher_id: int, *, user_id: int, request_token: str) -> ClaimResult:
    """Decide one claim; repeating the request token of an accepted claim gives the same result.

    A sale that Redis doesn't hold is being loaded when this returns NOT_READY. Raises `client.UNAVAILABLE`
    when Redis is away: the decision is unknown then, and the same request token may be sent again.
    """
    answer = claim_many({voucher_id: [(user_id, request_token)]})[0]
    fault_injection.point("decided")
    if answer.outcome is Outcome.NOT_READY:
        loading.request_load(voucher_id)
    return answer


def build_call(voucher_id: int, claims: SaleClaims) -> scripts.Call:
    """(keys, args) of CLAIM for a batch of claims on one sale."""
    args: list[scripts.Arg] = [
        ids.EPOCH,
        settings.SALE_IN_FLIGHT_LIMIT,
        voucher_id,
        voucher_id % keys.PARTITIONS,
    ]
    args += [user_id for user_id, _ in claims]
    args += [request_token for _, request_token in claims]
    args += [receipts.sign_claim(voucher_id, user_id, request_token) for user_id, request_token in claims]
    return keys.for_sale(voucher_id), args


def claim_many(claims_by_sale: Mapping[int, SaleClaims]) -> list[ClaimResult]:
    """Decide the claims on each voucher id, in one round trip; results in their order, sale after sale.

    A lost connection is tried once more, which the request tokens make safe. Raises `client.UNAVAILABLE` also
    when one was accepted and too few replicas have it (settings.SALE_REPLICAS).
    """
    calls = [build_call(voucher_id, claims) for voucher_id, claims in claims_by_sale.items()]
    try:
        results, _ = CLAIM.call_many(client.get(), calls)
    except ConnectionLost:
        results, _ = CLAIM.call_many(client.get(), calls)
    decided = list(chain.from_iterable(results))
    count_outcomes(decided)
    if settings.SALE_REPLICAS:
        pairs = ((sale, user) for sale, claims in claims_by_sale.items() for user, _ in claims)
        accepted = [
            replicas.Accepted(sale, user, result.order_id)
            for (sale, user), result in zip(pairs, decided, strict=True)
            if result.outcome is Outcome.ACCEPTED
        ]
        if accepted:
            replicas.wait(accepted)
    return decided


def count_outcomes(results: Sequence[ClaimResult]) -> None:
    """Count the decided claims by outcome: `claims.accepted`, `claims.sold_out`."""
    if gathering.is_active:
        for outcome, times in Counter(result.outcome for result in results).items():
            gathering.count(_COUNTERS[outcome], times)


def read_stock(voucher_id: int) -> int | None:
    """The stock that is left, for display; None when the sale isn't loaded."""
    try:
        stock = client.get().get(keys.for_sale(voucher_id).stock)
    except ResponseError:
        return None
    return int(stock) if isinstance(stock, str) and re.fullmatch(r"[0-9]{1,15}", stock) else None


def find_order_id(voucher_id: int, *, user_id: int) -> int | None:
    """The id of the person's order in this sale, or None."""
    try:
        entry = client.get().hget(keys.for_sale(voucher_id).buyers, str(user_id))
    except ResponseError:
        return None
    return int(entry.partition(":")[0]) if isinstance(entry, str) else None
