"""The flash sale's one decision: who gets a unit. Source: seed 004, section 6."""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from django.conf import settings
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError

from apps.coupons import entries, keys, loading
from apps.redis_kit import client, crash, ids, scripts

REQUEST_TOKEN = entries.REQUEST_TOKEN


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


_OUTCOMES = tuple(Outcome)


def parse_claims(raw: Sequence[int | str]) -> list[Claim]:
    """Pairs of outcome and order id, as `claim.lua` returns them."""
    pairs = zip(raw[::2], raw[1::2], strict=True)
    return [Claim(_OUTCOMES[int(outcome)], int(number) if number else None) for outcome, number in pairs]


CLAIM = scripts.Script("claim", package="apps.coupons", reply=parse_claims)


def claim(voucher_id: int, *, user_id: int, request_token: str) -> Claim:
    """Try to get one unit; the same request token always gets the answer it got when it was accepted.

    A sale that Redis doesn't know is being loaded when this returns NOT_READY. Raises
    `client.UNAVAILABLE` when Redis is away: then nobody knows, and the same token may ask again.
    """
    answer = _ask(voucher_id, [str(user_id), request_token])[0]
    crash.point("decided")
    if answer.outcome is Outcome.NOT_READY:
        loading.request(voucher_id)
    return answer


def batch(voucher_id: int, claims: Sequence[str]) -> scripts.Call:
    """(keys, args) of CLAIM for user id and request token of each buyer in turn."""
    lane = keys.partition_of(voucher_id)
    return keys.of_sale(voucher_id), [voucher_id, ids.EPOCH, lane, settings.SALE_IN_FLIGHT_LIMIT, *claims]


def _ask(voucher_id: int, claims: list[str]) -> list[Claim]:
    """One script call; a lost connection is tried once more, which the request token makes safe."""
    sale, args = batch(voucher_id, claims)
    try:
        return CLAIM(client.get(), keys=sale, args=args)
    except ConnectionLost:
        return CLAIM(client.get(), keys=sale, args=args)


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
