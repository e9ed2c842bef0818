"""Checkout: the provider's URL for an order, with one begun payment an order until it expires."""

import uuid

from django.utils import timezone

from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.orders.queued_orders import QueuedOrder
from apps.coupons.payments import provider, status_queries

MAX_SUBJECT_LENGTH = 160


class PaymentBeingConfirmed(Exception):
    """The order's money has arrived; the order becomes paid next."""


def begin(order: VoucherOrder | QueuedOrder, *, return_url: str) -> str:
    """The URL where an order is paid, also before its row exists; the same payment again until it expires.

    Raises lifecycle.TransitionNotAllowed, PaymentBeingConfirmed, provider.Unavailable and
    provider.NotConfigured.
    """
    _check_payable(order)
    found = provider.get_configured()
    if status_queries.query_expired(order.pk if isinstance(order, VoucherOrder) else order.order_id):
        _refresh_status(order)
        _check_payable(order)
    payment = (
        _payment_for_row(order, found.name)
        if isinstance(order, VoucherOrder)
        else _payment_for_queued(order, found.name)
    )
    return found.begin(payment, return_url)


def record_return(order_id: int) -> None:
    """Note that the buyer came back from the provider and reports a payment."""
    Payment.objects.filter(order_id=order_id, state=PaymentState.BEGUN).update(returned_at=timezone.now())
    status_queries.bring_forward(order_id)


def subject(voucher: Voucher) -> str:
    """The name of the purchase as the provider shows it to the buyer."""
    return f"{voucher.title} · {voucher.shop.name}"[:MAX_SUBJECT_LENGTH]


def _check_payable(order: VoucherOrder | QueuedOrder) -> None:
    if isinstance(order, VoucherOrder) and not _is_payable(order):
        raise lifecycle.TransitionNotAllowed(order.status, Status.PAID)


def _is_payable(order: VoucherOrder) -> bool:
    return order.status == Status.UNPAID and order.pay_deadline > timezone.now()


def _refresh_status(order: VoucherOrder | QueuedOrder) -> None:
    if isinstance(order, VoucherOrder):
        order.refresh_from_db(fields=["status"])


def _payment_for_row(order: VoucherOrder, name: str) -> Payment:
    return _get_or_begin(order.pk, order.voucher, name, amount=order.price, currency=order.currency)


def _payment_for_queued(order: QueuedOrder, name: str) -> Payment:
    voucher = Voucher.objects.select_related("shop").get(pk=order.voucher_id)
    return _get_or_begin(order.order_id, voucher, name, amount=voucher.price, currency=voucher.currency)


def _get_or_begin(order_id: int, voucher: Voucher, name: str, *, amount: int, currency: str) -> Payment:
    # Settled too: the order was read a moment before as unpaid, and would be paid for a second time.
    if Payment.objects.filter(order_id=order_id, state=PaymentState.SUCCEEDED).exists():
        raise PaymentBeingConfirmed
    # Two at the same moment: the database has one, and the other gets that.
    payment, _ = Payment.objects.get_or_create(
        order_id=order_id,
        state=PaymentState.BEGUN,
        defaults={
            "provider": name,
            "reference": uuid.uuid4().hex,
            "subject": subject(voucher),
            "amount": amount,
            "currency": currency,
            "due_at": timezone.now() + status_queries.FIRST_QUERY_DELAY,
        },
    )
    return payment
