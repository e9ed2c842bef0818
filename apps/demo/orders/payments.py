"""Makes sandbox payments for the demo's paid orders, so that the orders can be refunded.

Orders of an older demo, seeded without payments, get theirs at the next start.
"""

import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from apps.coupons.models import Payment, SandboxCharge, Status, VoucherOrder
from apps.coupons.models.payments import PaymentState
from apps.coupons.payments import checkout, sandbox
from apps.demo import sales

#: Orders that get their payments in one transaction.
BATCH_ORDERS = 500
#: Time between the start of a payment and its success.
BANK_DELAY = timedelta(seconds=40)


def make() -> int:
    """Make a payment for each paid, used or refunded demo order without one; return how many are new."""
    made = 0
    while some := _make_batch():
        made += some
    return made


@transaction.atomic
def _make_batch() -> int:
    # Locked, so a concurrent seeding waits and then finds the payments.
    orders = list(_orders_without_payment().select_for_update(of=("self",))[:BATCH_ORDERS])
    payments = Payment.objects.bulk_create(_build_payment(order) for order in orders)
    SandboxCharge.objects.bulk_create(_build_charge(payment) for payment in payments)
    return len(orders)


def _orders_without_payment() -> "QuerySet[VoucherOrder]":
    paid = VoucherOrder.objects.filter(
        token__startswith=sales.REQUEST_PREFIX, status__in=[Status.PAID, Status.USED, Status.REFUNDED]
    )
    payment = Payment.objects.filter(order_id=OuterRef("pk"))
    return paid.filter(~Exists(payment)).select_related("voucher__shop").order_by("pk")


def _build_payment(order: VoucherOrder) -> Payment:
    at = order.paid_at or order.accepted_at
    return Payment(
        order_id=order.pk,
        provider=sandbox.NAME,
        reference=uuid.uuid4().hex,
        subject=checkout.subject(order.voucher),
        amount=order.price,
        currency=order.currency,
        state=PaymentState.REFUNDED if order.status == Status.REFUNDED else PaymentState.SUCCEEDED,
        begun_at=at - BANK_DELAY,
        returned_at=at,
        finished_at=at,
        settled_at=at,
        refund_asked_at=order.refunded_at,
        refunded_at=order.refunded_at,
    )


def _build_charge(payment: Payment) -> SandboxCharge:
    given_back = payment.state == PaymentState.REFUNDED
    return SandboxCharge(
        reference=payment.reference,
        subject=payment.subject,
        amount=payment.amount,
        currency=payment.currency,
        return_url="/orders/",
        state=SandboxCharge.State.REFUNDED if given_back else SandboxCharge.State.PAID,
        opened_at=payment.begun_at,
        refunds_asked=int(given_back),
    )
