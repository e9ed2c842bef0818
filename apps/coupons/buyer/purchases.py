"""A buyer's verbs: claim, buy, pay, cancel, refund; refusals are Problems, for pages and API."""

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from apps.accounts.models import User
from apps.coupons import keys, limits, refusals
from apps.coupons.buyer import order_views
from apps.coupons.catalog import vouchers
from apps.coupons.claims import loading, receipts, seckill
from apps.coupons.claims.receipts import Receipt
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import lifecycle, queued_orders
from apps.coupons.orders.queued_orders import QueuedOrder
from apps.coupons.payments import checkout, provider, refunds
from apps.redis_kit import client

log = logging.getLogger(__name__)


def claim_unit(voucher_id: int, *, user_id: int, request_token: str) -> Receipt:
    """The receipt of a claimed unit of a flash sale; else a Problem."""
    try:
        limits.charge_claim(user_id)
        claim = seckill.claim(voucher_id, user_id=user_id, request_token=request_token)
        if claim.outcome.needs_fact:
            refusal, members = explain_refusal(voucher_id, claim.outcome)
            raise refusal.problem(**members)
    except client.UNAVAILABLE:
        raise refusals.BUSY.problem() from None
    if claim.order_id is None or claim.outcome is not Outcome.ACCEPTED:
        build, arguments = claim.refuse()
        raise build(*arguments)
    receipt = Receipt(claim.order_id, user_id, voucher_id, claim.epoch, request_token)
    receipts.keep_claim(receipt.content)
    return receipt


def buy(voucher_id: int, *, user: User, request_token: str, count: int = 1) -> list[int]:
    """The order ids of `count` bought coupons of an ordinary voucher, all or none.

    Problem 404, 409 already_bought or too_many, 429, 503 busy.
    """
    voucher = vouchers.get_or_404(voucher_id)
    if hasattr(voucher, "sale") or voucher.has_expired:
        raise refusals.NOT_FOUND.problem()
    try:
        limits.charge_claim(user.pk)
        made = lifecycle.create_orders(voucher, user=user, request_token=request_token, count=count)
        return [order.pk for order in made]
    except lifecycle.TooFewLeft as few:
        raise refusals.too_many(few.left) from None
    except lifecycle.AlreadyBought as mine:
        raise refusals.already_bought(mine.order_id, limit=voucher.per_person) from None
    except client.UNAVAILABLE:
        raise refusals.BUSY.problem() from None


def pay(order_id: int, *, user: User, return_url: str) -> order_views.OrderView:
    """The person's own order with the `pay_url` of its begun payment.

    Problem 404, 409 not_possible or being_confirmed, 410 order_lost, 503 no_payments.
    """
    order = order_views.require_order(order_id, user)
    url = _begin(partial(checkout.begin, order), [order_id], return_url=return_url)
    return replace(order_views.get_own(order_id, user), pay_url=url)


def pay_together(order_ids: Collection[int], *, user: User, return_url: str) -> str:
    """The URL where several of the person's own orders, all of one voucher, are paid at once.

    Problem 404, 409 not_possible, being_confirmed or not_together, 410 order_lost, 503 no_payments.
    """
    rows = VoucherOrder.objects.filter(user=user).select_related("voucher__shop").in_bulk(order_ids)
    for order_id in order_ids:
        if order_id not in rows:
            # On its way to a row, or another's who gave it.
            other = order_views.require_order(order_id, user)
            raise refusals.not_possible("queued" if isinstance(other, QueuedOrder) else other.status)
    orders = [rows[order_id] for order_id in order_ids]
    if len(orders) == 1:
        return _begin(partial(checkout.begin, orders[0]), order_ids, return_url=return_url)
    if len({(order.voucher_id, order.currency) for order in orders}) > 1 or not provider.takes_several():
        raise refusals.NOT_TOGETHER.problem()
    return _begin(partial(checkout.begin_together, orders), order_ids, return_url=return_url)


def _begin(begin: Callable[..., str], order_ids: Collection[int], *, return_url: str) -> str:
    try:
        return begin(return_url=return_url)
    except lifecycle.TransitionNotAllowed as why:
        raise refusals.not_possible(why.status, to=why.to) from None
    except checkout.PaymentBeingConfirmed:
        raise refusals.BEING_CONFIRMED.problem() from None
    except (provider.Unavailable, provider.NotConfigured) as error:
        log.exception("orders %s can't be paid now", ", ".join(map(str, order_ids)))
        raise refusals.NO_PAYMENTS.problem() from error


def cancel(order_id: int, *, user: User) -> order_views.OrderView:
    """Cancel the person's own order, recorded or still queued.

    Problem 404, 409 not_possible with its status, 410 order_lost.
    """
    waiting = order_views.require_order(order_id, user)
    if isinstance(waiting, QueuedOrder) and queued_orders.cancel_before_recorded(waiting):
        return order_views.from_row(order_views.find_order(order_id, user), viewer_id=user.pk)
    # It has its row by now, most likely: the consumer was first.
    return _apply_change(order_id, user, lifecycle.cancel)


def refund(order_id: int, *, user: User) -> order_views.OrderView:
    """Refund the person's own paid order.

    Problem 404, 409 not_possible with its status or given, 410 order_lost.
    """
    return _apply_change(order_id, user, refunds.refund_order)


def explain_refusal(voucher_id: int, outcome: Outcome) -> tuple[refusals.Refusal, dict[str, str | None]]:
    """Why a sale gives nothing, with the further members of its Problem: when a sale begins.

    A sale that Redis doesn't hold is put on its way there, or is not on offer, which SQL says.
    """
    if outcome is Outcome.NOT_STARTED:
        return refusals.NOT_STARTED, {"begins_at": _read_begins_at(voucher_id)}
    if outcome is Outcome.NOT_READY:
        loading.request_load(voucher_id)
        if not _is_on_sale(voucher_id):
            return refusals.NOT_FOUND, {}
    return seckill.REFUSALS[outcome], {}


def _is_on_sale(voucher_id: int) -> bool:
    return FlashSale.objects.offered().filter(pk=voucher_id).exists()


def _read_begins_at(voucher_id: int) -> str | None:
    """When a sale begins, from Redis, so that a crowd that comes early does not reach SQL."""
    begins = client.get().hget(keys.for_sale(voucher_id).sale, "begins")
    if not isinstance(begins, str):
        return None
    return datetime.fromtimestamp(int(begins) / 1000, tz=UTC).isoformat().replace("+00:00", "Z")


def _apply_change(order_id: int, user: User, change: Callable[[VoucherOrder], None]) -> order_views.OrderView:
    order = order_views.require_order(order_id, user)
    if isinstance(order, QueuedOrder):
        raise refusals.not_possible("queued")
    _require_kept(order, user)
    try:
        change(order)
    except lifecycle.TransitionNotAllowed as why:
        order.refresh_from_db(fields=["holder"])
        _require_kept(order, user)
        raise refusals.not_possible(why.status, to=why.to) from None
    return order_views.from_row(order, viewer_id=user.pk)


def _require_kept(order: VoucherOrder, user: User) -> None:
    """Problem 409 given for a coupon that its buyer gave away, whoever of the two asks."""
    if order.holder_id is not None:
        raise (refusals.GIVEN_TO_YOU if order.holder_id == user.pk else refusals.GIVEN).problem()
