"""The way to the provider: one begun payment an order, however often a buyer presses, until it expires."""

import uuid

from django.utils import timezone

from apps.coupons import orders
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.payments import asking, provider
from apps.coupons.payments.models import Payment, State
from apps.coupons.queued import Queued

LONGEST_SUBJECT = 160


class BeingConfirmed(Exception):
    """The order's money is here already: the next thing to happen is that it is paid."""


def begin(order: VoucherOrder | Queued, *, return_url: str) -> str:
    """The URL where an order is paid, before its row exists too; again the same payment while it lasts.

    Raises orders.NotPossible, BeingConfirmed, provider.Unavailable and provider.NotConfigured.
    """
    _refuse_what_cannot_be_paid(order)
    found = provider.configured()
    if asking.about_earlier(order.pk if isinstance(order, VoucherOrder) else order.order_id):
        _look_again(order)
        _refuse_what_cannot_be_paid(order)
    payment = _of_row(order, found.name) if isinstance(order, VoucherOrder) else _of_queued(order, found.name)
    return found.begin(payment, return_url)


def came_back(order_id: int) -> None:
    """Note that the buyer's browser is here again, and says that they paid."""
    Payment.objects.filter(order_id=order_id, state=State.BEGUN).update(returned_at=timezone.now())
    asking.sooner(order_id)


def subject(voucher: Voucher) -> str:
    """What the provider tells the buyer they pay for."""
    return f"{voucher.title} · {voucher.shop.name}"[:LONGEST_SUBJECT]


def _refuse_what_cannot_be_paid(order: VoucherOrder | Queued) -> None:
    if isinstance(order, VoucherOrder) and not _can_be_paid(order):
        raise orders.NotPossible(order.status, Status.PAID)


def _can_be_paid(order: VoucherOrder) -> bool:
    return order.status == Status.UNPAID and order.pay_deadline > timezone.now()


def _look_again(order: VoucherOrder | Queued) -> None:
    if isinstance(order, VoucherOrder):
        order.refresh_from_db(fields=["status"])


def _of_row(order: VoucherOrder, name: str) -> Payment:
    return _begun(order.pk, order.voucher, name, amount=order.price, currency=order.currency)


def _of_queued(order: Queued, name: str) -> Payment:
    voucher = Voucher.objects.select_related("shop").get(pk=order.voucher_id)
    return _begun(order.order_id, voucher, name, amount=voucher.price, currency=voucher.currency)


def _begun(order_id: int, voucher: Voucher, name: str, *, amount: int, currency: str) -> Payment:
    if Payment.objects.filter(order_id=order_id, state=State.SUCCEEDED, settled_at=None).exists():
        raise BeingConfirmed
    # Two at the same moment: the database has one, and the other gets that.
    payment, _ = Payment.objects.get_or_create(
        order_id=order_id,
        state=State.BEGUN,
        defaults={
            "provider": name,
            "reference": uuid.uuid4().hex,
            "subject": subject(voucher),
            "amount": amount,
            "currency": currency,
            "due_at": timezone.now() + asking.ASK_AFTER,
        },
    )
    return payment
