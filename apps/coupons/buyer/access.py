"""An order that a person bought or was given, as a row or still on its way to one, or why there is none."""

from typing import NoReturn

from django.http import Http404
from django.shortcuts import get_object_or_404

from apps.accounts.models import User
from apps.coupons import refusals
from apps.coupons.claims import recovery
from apps.coupons.models import VoucherOrder
from apps.coupons.orders import queued_orders
from apps.redis_kit import client


def order(order_id: int, user: User) -> VoucherOrder:
    """The order that the person bought or was given, else 404."""
    rows = VoucherOrder.objects.seen_by(user.pk).select_related(
        "user", "holder", "gift", "voucher__shop__type"
    )
    return get_object_or_404(rows, pk=order_id)


def order_or_queued(order_id: int, user: User) -> VoucherOrder | queued_orders.QueuedOrder:
    """The person's own order, a row or still on its way to one, else 404.

    Redis is asked first: an order leaves it only after its row is there, so that it is never nowhere.
    """
    try:
        waiting = queued_orders.find(order_id)
    except client.UNAVAILABLE:
        # A row answers without Redis; without a row nobody knows, and that is the outage's 503, not a 404.
        if not VoucherOrder.objects.seen_by(user.pk).filter(pk=order_id).exists():
            raise
        waiting = None
    if waiting is None or VoucherOrder.objects.filter(pk=order_id).exists():
        return order(order_id, user)
    if waiting.user_id != user.pk:
        raise Http404
    return waiting


def order_or_refusal(order_id: int, user: User) -> VoucherOrder | queued_orders.QueuedOrder:
    """The person's own order, a row or still on its way to one; else Problem 410 order_lost, or 404."""
    try:
        return order_or_queued(order_id, user)
    except Http404:
        refuse_absent(order_id)


def refuse_absent(order_id: int) -> NoReturn:
    """Problem 410 order_lost for an id that a lost Redis may have given to somebody, else 404."""
    if recovery.may_have_lost(order_id):
        raise refusals.ORDER_LOST.problem()
    raise Http404
