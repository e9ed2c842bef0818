"""Checkout: the provider's URL for an order or several, with one begun payment an order until it expires.

Whoever begins to pay otherwise, an order alone or with others, ends the begun payments that are in the way:
they expire before their time. Money that comes for one all the same pays its order, or goes back.
"""

import uuid
from collections.abc import Collection, Sequence

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Charge, Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.orders.queued_orders import QueuedOrder
from apps.coupons.payments import provider, settlement, transitions

MAX_SUBJECT_LENGTH = 160
#: How often a payment is begun anew when another press begins one for the same order in the same moment.
MAX_ATTEMPTS = 3


class PaymentBeingConfirmed(Exception):
    """The order's money has arrived; the order becomes paid next."""


def begin(order: VoucherOrder | QueuedOrder, *, return_url: str) -> str:
    """The URL where an order is paid, also before its row exists; the same payment again until it expires.

    Raises lifecycle.TransitionNotAllowed, PaymentBeingConfirmed, provider.Unavailable and
    provider.NotConfigured.
    """
    _check_payable(order)
    found = provider.get_configured()
    if settlement.query_expired([order.pk if isinstance(order, VoucherOrder) else order.order_id]):
        _refresh_status(order)
        _check_payable(order)
    payment = (
        _payment_for_row(order, found.name)
        if isinstance(order, VoucherOrder)
        else _payment_for_queued(order, found.name)
    )
    return found.begin(payment, return_url)


def begin_together(orders: Sequence[VoucherOrder], *, return_url: str) -> str:
    """The URL where several orders of one voucher are paid at once; the same payment again until it expires.

    Raises as `begin` does, for the first order that is in the way, and NotConfigured also for a provider that
    can't return the money of one of them.
    """
    found = provider.get_configured()
    if not provider.takes_several():
        raise provider.NotConfigured(
            f"{type(found).__qualname__} has no refund_part: orders are paid one by one"
        )
    numbers = [order.pk for order in orders]
    for order in orders:
        _check_payable(order)
    settlement.query_expired(numbers)
    charge = _find_charge(numbers, found.name)
    if charge is None:
        # What is in the way may be paid by now.
        settlement.query_each(Payment.objects.filter(order_id__in=numbers, state=PaymentState.BEGUN))
        charge = _begin_charge(numbers, found.name)
    return found.begin(charge, return_url)


def _begin_charge(order_ids: Collection[int], name: str) -> Charge:
    for _attempt in range(MAX_ATTEMPTS):
        try:
            return _create_charge(order_ids, name)
        except IntegrityError:
            # One of them is paid alone since we looked.
            continue
    raise provider.Unavailable("other payments of these orders begin all the time")


@transaction.atomic
def _create_charge(order_ids: Collection[int], name: str) -> Charge:
    # Locked as a settlement locks them: first the orders, then their payments.
    rows = VoucherOrder.objects.select_for_update(of=("self",)).select_related("voucher__shop")
    orders = list(rows.filter(pk__in=order_ids).order_by("pk"))
    for order in orders:
        _check_payable(order)
    # Another press of the same button was first.
    if charge := _find_charge(order_ids, name):
        return charge
    payments = Payment.objects.filter(order_id__in=order_ids)
    transitions.expire_begun(payments, due_at=timezone.now() + settlement.FIRST_QUERY_DELAY)
    if payments.filter(state=PaymentState.SUCCEEDED).exists():
        raise PaymentBeingConfirmed
    charge = Charge.objects.create(
        provider=name,
        reference=uuid.uuid4().hex,
        subject=f"{len(orders)} × {subject(orders[0].voucher)}"[:MAX_SUBJECT_LENGTH],  # noqa: RUF001
        amount=sum(order.price for order in orders),
        currency=orders[0].currency,
    )
    Payment.objects.bulk_create(_build_part(order, charge) for order in orders)
    return charge


def _build_part(order: VoucherOrder, charge: Charge) -> Payment:
    return Payment(
        order_id=order.pk,
        charge=charge,
        provider=charge.provider,
        reference=uuid.uuid4().hex,
        subject=subject(order.voucher),
        amount=order.price,
        currency=order.currency,
        begun_at=charge.begun_at,
        due_at=charge.begun_at + settlement.FIRST_QUERY_DELAY,
    )


def _find_charge(order_ids: Collection[int], name: str) -> Charge | None:
    """The charge with which exactly these orders are being paid at the provider of that name."""
    begun = Payment.objects.filter(order_id__in=order_ids, state=PaymentState.BEGUN, provider=name)
    by_order = {payment.order_id: payment.charge for payment in begun.select_related("charge")}
    found = set(by_order.values())
    charge = found.pop() if len(found) == 1 and by_order.keys() == set(order_ids) else None
    return charge if charge and charge.payments.count() == len(by_order) else None


def record_return(order_id: int) -> None:
    """Note that the buyer came back from the provider and reports a payment."""
    settlement.record_return(order_id)


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
    for _attempt in range(MAX_ATTEMPTS):
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
                "due_at": timezone.now() + settlement.FIRST_QUERY_DELAY,
            },
        )
        if payment.charge_id is None:
            return payment
        # With others, of which it is paid without now; what is in the way may be paid by now.
        settlement.query_each([payment])
        next_query = timezone.now() + settlement.FIRST_QUERY_DELAY
        transitions.expire_begun(Payment.objects.filter(pk=payment.pk), due_at=next_query)
    raise provider.Unavailable("other payments of this order begin all the time")
