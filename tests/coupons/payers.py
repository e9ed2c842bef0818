"""The steps of a payment as a test takes them: we begin, the bank decides, a signed callback tells."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from apps.coupons.models import VoucherOrder
from apps.coupons.models.payments import (
    AnyCharge,
    Charge,
    Payment,
    PaymentState,
    SandboxCharge,
    SandboxRefund,
)
from apps.coupons.orders.queued_orders import QueuedOrder
from apps.coupons.payments import checkout, provider, sandbox

CALLBACK = "/api/payments/sandbox/callback"
RETURN_URL = "http://testserver/orders/1/returned/"


def begin_payment(order: VoucherOrder | QueuedOrder) -> Payment:
    """The payment that a buyer is sent to the bank with."""
    checkout.begin(order, return_url=RETURN_URL)
    number = order.pk if isinstance(order, VoucherOrder) else order.order_id
    return Payment.objects.get(order_id=number, state=PaymentState.BEGUN)


def begin_together(orders: Sequence[VoucherOrder]) -> Charge:
    """The charge that a buyer of several orders is sent to the bank with."""
    url = checkout.begin_together(orders, return_url=RETURN_URL)
    return Charge.objects.get(reference=url.rstrip("/").rpartition("/")[2])


def find_part(charge: Charge, order: VoucherOrder) -> Payment:
    """The payment of an order in a charge."""
    return Payment.objects.get(charge=charge, order_id=order.pk)


def read_returned(charge: AnyCharge) -> int:
    """How much of its money the bank has returned."""
    parts = SandboxRefund.objects.filter(charge=charge.reference).values_list("amount", flat=True)
    taken = SandboxCharge.objects.get(pk=charge.reference)
    return sum(parts) if parts else taken.amount * (taken.state == SandboxCharge.State.REFUNDED)


def set_charge_state(payment: AnyCharge, state: str = SandboxCharge.State.PAID) -> None:
    """The bank takes the money, or declines."""
    SandboxCharge.objects.filter(pk=payment.reference).update(state=state)


def build_notice(payment: AnyCharge, **changes: Any) -> dict[str, Any]:
    """What the bank says when it has taken the money, with changes."""
    said = {"reference": payment.reference, "outcome": "succeeded", "reason": ""}
    return said | {"amount": payment.amount, "currency": payment.currency} | changes


def signed_headers(body: bytes, at: datetime | None = None) -> dict[str, str]:
    """The headers of the bank's signature."""
    return sandbox.sign_callback(body, secret=provider.callback_secret(), at=at or timezone.now())


def post_callback(body: bytes, *, name: str = "sandbox", headers: dict[str, str] | None = None) -> Any:
    """The answer to a callback signed by the bank, or with other headers."""
    path = CALLBACK.replace("sandbox", name)
    return Client().post(path, body, content_type="application/json", headers=headers or signed_headers(body))


def send_callback(payment: AnyCharge, **changes: Any) -> Any:
    """The answer to the bank's callback about a payment."""
    return post_callback(json.dumps(build_notice(payment, **changes)).encode())


def pay_order(order: VoucherOrder) -> Payment:
    """An order that was paid as people pay."""
    payment = begin_payment(order)
    set_charge_state(payment)
    assert send_callback(payment).status_code == 200
    payment.refresh_from_db()
    order.refresh_from_db()
    return payment


def read_payment_states() -> dict[str, tuple[str, str, int]]:
    """Each payment's reference, with our state, the bank's, and how often the bank was asked for a refund."""
    charges = SandboxCharge.objects.in_bulk()
    return {
        one.reference: (
            one.state,
            charges[one.charged.reference].state,
            charges[one.charged.reference].refunds_asked,
        )
        for one in Payment.objects.select_related("charge")
    }


def backdate_payment(payment: Payment, ago: timedelta) -> None:
    """It was begun so long ago, and its next look is due."""
    now = timezone.now()
    Payment.objects.filter(pk=payment.pk).update(begun_at=now - ago, due_at=now)
    payment.refresh_from_db()


def read_states(order: VoucherOrder, payment: Payment) -> tuple[str, str, str]:
    """The order's status, our state of the payment, and the bank's."""
    order.refresh_from_db()
    ours, banks, _ = read_payment_states()[payment.reference]
    return order.status, ours, banks


def is_due_in(payment: Payment, seconds: float) -> bool:
    """Whether its next look is about so many seconds away: a crowded machine pauses between our steps."""
    due = Payment.objects.get(pk=payment.pk).due_at
    assert due is not None
    return seconds - 20 < (due - timezone.now()).total_seconds() < seconds + 10
