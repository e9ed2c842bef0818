"""The flash sale's one decision: who gets a unit."""

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from django.conf import settings
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import entries, loading
from apps.redis_kit import client, fault_injection, ids, scripts

REQUEST_TOKEN_PATTERN = entries.REQUEST_TOKEN_PATTERN
#: More in one script call would hold Redis for longer than two milliseconds.
MAX_SALES_PER_CALL = 32


class Outcome(IntEnum):
    """What `claim.lua` answers."""

    NOT_READY = 0
    ACCEPTED = 1
    ALREADY_BOUGHT = 2
    NOT_STARTED = 3
    ENDED = 4
    SOLD_OUT = 5
    BUSY = 6
    NOT_FOUND = 7


class ClaimResult(NamedTuple):
    """The answer to one buyer; `order_id` with ACCEPTED and ALREADY_BOUGHT."""

    outcome: Outcome
    order_id: int | None = None


#: Who claims in which sale: by voucher id, the user id and the request token of each.
ClaimsBySale = Mapping[int, Sequence[tuple[int, str]]]

_OUTCOMES = tuple(Outcome)
_RESULTS_WITHOUT_ORDER = tuple(ClaimResult(outcome) for outcome in Outcome)


def parse_results(raw: Sequence[Any]) -> list[ClaimResult]:
    """Pairs of outcome and order id, as `claim.lua` returns them."""
    return [
        ClaimResult(_OUTCOMES[outcome], int(number)) if number else _RESULTS_WITHOUT_ORDER[outcome]
        for outcome, number in zip(raw[::2], raw[1::2], strict=True)
    ]


CLAIM = scripts.Script("claim", package="apps.coupons.claims", reply=parse_results)


def claim(voucher_id: int, *, user_id: int, request_token: str) -> ClaimResult:
    """Try to get one unit; the same request token always gets the answer it got when it was accepted.

    A sale that Redis doesn't know is being loaded when this returns NOT_READY. Raises
    `client.UNAVAILABLE` when Redis is away: then nobody knows, and the same token may ask again.
    """
    answer = claim_many({voucher_id: [(user_id, request_token)]})[0]
    fault_injection.point("decided")
    if answer.outcome is Outcome.NOT_READY:
        loading.request_load(voucher_id)
    return answer


def build_call(claims: ClaimsBySale) -> scripts.Call:
    """(keys, args) of CLAIM; its answers come in the order of `claims`, sale after sale.

    Sales of one partition that stand side by side cost less.
    """
    called: list[str] = []
    args: list[scripts.Arg] = [ids.EPOCH, settings.SALE_IN_FLIGHT_LIMIT]
    for voucher_id, mine in claims.items():
        called += keys.for_sale(voucher_id)
        args += (voucher_id, keys.partition_of(voucher_id), len(mine))
        args += [user_id for user_id, _ in mine]
        args += [token for _, token in mine]
    return called, args


def claim_many(claims: ClaimsBySale) -> list[ClaimResult]:
    """Decide many claims in one script call: on a cluster those of one partition.

    A lost connection is tried once more, which the request tokens make safe.
    """
    called, args = build_call(claims)
    try:
        return CLAIM(client.get(), keys=called, args=args)
    except ConnectionLost:
        return CLAIM(client.get(), keys=called, args=args)


def read_stock(voucher_id: int) -> int | None:
    """Units nobody has claimed, for showing; None when the sale isn't loaded."""
    try:
        stock = client.get().get(keys.for_sale(voucher_id).stock)
    except ResponseError:
        return None
    return int(stock) if isinstance(stock, str) and re.fullmatch(r"[0-9]{1,15}", stock) else None


def find_order_id(voucher_id: int, *, user_id: int) -> int | None:
    """The order that a person holds in this sale, if any."""
    try:
        held = client.get().hget(keys.for_sale(voucher_id).buyers, str(user_id))
    except ResponseError:
        return None
    return int(held.partition(":")[0]) if isinstance(held, str) else None
