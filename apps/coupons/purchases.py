"""What a buyer does: get a coupon, pay, cancel, have it refunded. Refusals are Problems, to pages and API."""

import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from apps.accounts.models import User
from apps.coupons import access, keys, limits, orders, refusals, seckill, standing, tombstones
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.payments import checkout, provider
from apps.coupons.queued import Queued
from apps.coupons.seckill import Claim, Outcome
from apps.problems import Problem
from apps.redis_kit import client

log = logging.getLogger(__name__)


def request_token(given: str | None) -> str:
    """The client's token for this request, or a new one; Problem 400 when it has other characters."""
    if given is None:
        return uuid.uuid4().hex
    if not seckill.REQUEST_TOKEN.fullmatch(given):
        raise refusals.bad_token()
    return given


def grab(voucher_id: int, *, user_id: int, request_token: str) -> int:
    """One unit of a flash sale: the order's id, or the Problem of refusals.BY_OUTCOME."""
    try:
        _may_try(user_id)
        claim = seckill.claim(voucher_id, user_id=user_id, request_token=request_token)
        if claim.outcome is Outcome.ACCEPTED and claim.order_id is not None:
            return claim.order_id
        raise _refused(voucher_id, claim)
    except client.UNAVAILABLE:
        raise refusals.BUSY.problem() from None


def buy(voucher_id: int, *, user: User, request_token: str) -> int:
    """An ordinary voucher: the order's id, or Problem 404, 409 already_bought, 429, 503 busy."""
    voucher = access.voucher(voucher_id)
    if hasattr(voucher, "sale"):
        raise refusals.NOT_FOUND.problem()
    try:
        _may_try(user.pk)
        return orders.buy(voucher, user=user, request_token=request_token).pk
    except orders.AlreadyBought as mine:
        raise refusals.ALREADY_BOUGHT.problem(order_id=str(mine.order_id)) from None
    except client.UNAVAILABLE:
        raise refusals.BUSY.problem() from None


def pay(order_id: int, *, user: User, return_url: str) -> standing.Standing:
    """Begin to pay one's own order, or go on paying: where it stands, with `pay_url`.

    Problem 404, 409 not_possible or being_confirmed, 503 no_payments.
    """
    order = access.order_or_queued(order_id, user)
    try:
        url = checkout.begin(order, return_url=return_url)
    except orders.NotPossible as why:
        raise refusals.not_possible(why.status, to=why.to) from None
    except checkout.BeingConfirmed:
        raise refusals.BEING_CONFIRMED.problem() from None
    except (provider.Unavailable, provider.NotConfigured) as error:
        log.exception("order %d can't be paid now", order_id)
        raise refusals.NO_PAYMENTS.problem() from error
    return replace(standing.of(order_id, user), pay_url=url)


def cancel(order_id: int, *, user: User) -> standing.Standing:
    """Cancel one's own order, recorded yet or not; 404, or 409 not_possible with its status."""
    waiting = access.order_or_queued(order_id, user)
    if isinstance(waiting, Queued) and tombstones.write(waiting):
        return standing.of_row(access.order(order_id, user))
    # It has its row by now, most likely: the consumer was first.
    return _change(order_id, user, orders.cancel)


def refund(order_id: int, *, user: User) -> standing.Standing:
    """Refund one's own paid order; 404, or 409 not_possible with its status."""
    return _change(order_id, user, orders.refund)


def _may_try(user_id: int) -> None:
    verdict = limits.may_claim(user_id)
    if not verdict.allowed:
        raise refusals.too_many(verdict.retry_after)


def is_on_sale(voucher_id: int) -> bool:
    """Asked only while Redis doesn't know: a voucher that isn't there is no sale that loads."""
    return FlashSale.objects.filter(pk=voucher_id, voucher__is_offered=True).exists()


def begins_at(voucher_id: int) -> str | None:
    """When a sale begins; from Redis, whose clock refused: a crowd that comes early must not reach SQL."""
    begins = client.get().hget(keys.of_sale(voucher_id).sale, "begins")
    if not isinstance(begins, str):
        return None
    return datetime.fromtimestamp(int(begins) / 1000, tz=UTC).isoformat().replace("+00:00", "Z")


def _refused(voucher_id: int, claim: Claim) -> Problem:
    if claim.outcome is Outcome.NOT_READY and not is_on_sale(voucher_id):
        return refusals.NOT_FOUND.problem()
    extra: dict[str, str | None] = {}
    if claim.outcome is Outcome.ALREADY_BOUGHT:
        extra["order_id"] = str(claim.order_id)
    if claim.outcome is Outcome.NOT_STARTED:
        extra["begins_at"] = begins_at(voucher_id)
    return refusals.BY_OUTCOME[claim.outcome].problem(**extra)


def _change(order_id: int, user: User, change: Callable[[VoucherOrder], None]) -> standing.Standing:
    order = access.order_or_queued(order_id, user)
    if isinstance(order, Queued):
        raise refusals.not_possible("queued")
    try:
        change(order)
    except orders.NotPossible as why:
        raise refusals.not_possible(why.status, to=why.to) from None
    return standing.of_row(order)
