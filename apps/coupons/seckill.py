"""The flash sale's one decision: who gets a unit. Source: seed 004, section 6."""

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from django.conf import settings
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError

from apps.coupons import entries, keys, loading
from apps.redis_kit import client, crash, ids, scripts

REQUEST_TOKEN = entries.REQUEST_TOKEN
#: More in one script call would hold Redis for longer than two milliseconds.
SALES_A_CALL = 32


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


class Claim(NamedTuple):
    """The answer to one buyer; `order_id` with ACCEPTED and ALREADY_BOUGHT."""

    outcome: Outcome
    order_id: int | None = None


#: Who claims in which sale: by voucher id, the user id and the request token of each.
Claims = Mapping[int, Sequence[tuple[int, str]]]

_OUTCOMES = tuple(Outcome)
_WITHOUT_ORDER = tuple(Claim(outcome) for outcome in Outcome)


def parse_claims(raw: Sequence[Any]) -> list[Claim]:
    """Pairs of outcome and order id, as `claim.lua` returns them."""
    return [
        Claim(_OUTCOMES[outcome], int(number)) if number else _WITHOUT_ORDER[outcome]
        for outcome, number in zip(raw[::2], raw[1::2], strict=True)
    ]


CLAIM = scripts.Script("claim", package="apps.coupons", reply=parse_claims)


def claim(voucher_id: int, *, user_id: int, request_token: str) -> Claim:
    """Try to get one unit; the same request token always gets the answer it got when it was accepted.

    A sale that Redis doesn't know is being loaded when this returns NOT_READY. Raises
    `client.UNAVAILABLE` when Redis is away: then nobody knows, and the same token may ask again.
    """
    answer = ask({voucher_id: [(user_id, request_token)]})[0]
    crash.point("decided")
    if answer.outcome is Outcome.NOT_READY:
        loading.request(voucher_id)
    return answer


def batch(claims: Claims) -> scripts.Call:
    """(keys, args) of CLAIM; its answers come in the order of `claims`, sale after sale.

    Sales of one partition that stand side by side cost less.
    """
    called: list[str] = []
    args: list[scripts.Arg] = [ids.EPOCH, settings.SALE_IN_FLIGHT_LIMIT]
    for voucher_id, mine in claims.items():
        called += keys.of_sale(voucher_id)
        args += (voucher_id, keys.partition_of(voucher_id), len(mine))
        args += [user_id for user_id, _ in mine]
        args += [token for _, token in mine]
    return called, args


def ask(claims: Claims) -> list[Claim]:
    """Decide many claims in one script call: on a cluster those of one partition.

    A lost connection is tried once more, which the request tokens make safe.
    """
    called, args = batch(claims)
    try:
        return CLAIM(client.get(), keys=called, args=args)
    except ConnectionLost:
        return CLAIM(client.get(), keys=called, args=args)


def units_left(voucher_id: int) -> int | None:
    """Units nobody has claimed, for showing; None when the sale isn't loaded."""
    try:
        stock = client.get().get(keys.of_sale(voucher_id).stock)
    except ResponseError:
        return None
    return int(stock) if isinstance(stock, str) and re.fullmatch(r"[0-9]{1,15}", stock) else None


def order_of(voucher_id: int, *, user_id: int) -> int | None:
    """The order that a person holds in this sale, if any."""
    try:
        held = client.get().hget(keys.of_sale(voucher_id).buyers, str(user_id))
    except ResponseError:
        return None
    return int(held.partition(":")[0]) if isinstance(held, str) else None
