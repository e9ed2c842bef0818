"""An order that could not be completed says where its buyer's money is, whatever was paid and when."""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import access
from apps.coupons.claims import stream_reader
from apps.coupons.models import FlashSale
from apps.coupons.models.payments import Payment, PaymentState, SandboxCharge
from apps.coupons.orders import dead_letters
from apps.coupons.payments import tasks
from apps.redis_kit import client
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


@pytest.fixture
def payment(sale: FlashSale, alice: User) -> Payment:
    """Begun while the order is queued."""
    return payers.begin_payment(access.order_or_queued(buyers.queue_order(sale, alice), alice))


def create_dead_letter(sale: FlashSale) -> None:
    held = keys.for_sale(sale.pk)
    for entry, fields in list(stream_reader.iter_raw_entries(held.orders)):
        dead_letters.record_failure(held.orders, entry, fields, reason="planted", deliveries=5)
    client.get().delete(held.orders, held.queued)


def read_explanation(payment: Payment, user: User) -> tuple[str, str, bool]:
    """What the API gives as the reason, the page's face, and whether the page shows that reason too."""
    said: dict[str, Any] = buyers.api_client(user).get(f"/api/orders/{payment.order_id}").json()
    assert said["status"] == "cancelled"
    html = buyers.browser_client(user).get(f"/orders/{payment.order_id}/").content.decode()
    face = html.split('data-order-state="')[1].split('"')[0]
    start = "We could not complete this order, so it was cancelled. "
    assert said["reason"].startswith(start)
    return said["reason"].removeprefix(start), face, said["reason"] in html


def test_what_was_paid_is_on_its_way_and_then_returned(
    sale: FlashSale, payment: Payment, alice: User
) -> None:
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    create_dead_letter(sale)
    assert read_explanation(payment, alice) == ("¥49 are on their way back to you.", "money_back", True)
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    assert read_explanation(payment, alice) == ("You got ¥49 back.", "money_returned", True)
    assert payers.read_payment_states()[payment.reference] == ("refunded", "refunded", 1)


def test_what_may_be_paid_comes_back_if_it_was(sale: FlashSale, payment: Payment, alice: User) -> None:
    create_dead_letter(sale)
    words = "If the bank took your money, it goes back by itself as soon as the bank tells us."
    assert read_explanation(payment, alice) == (words, "cancelled", True)
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    assert read_explanation(payment, alice) == ("You got ¥49 back.", "money_returned", True)


@pytest.mark.parametrize("state", [PaymentState.FAILED, PaymentState.EXPIRED])
def test_what_came_to_nothing_was_not_charged(
    sale: FlashSale, payment: Payment, alice: User, state: PaymentState
) -> None:
    Payment.objects.update(state=state)
    create_dead_letter(sale)
    assert read_explanation(payment, alice) == ("Nothing was charged.", "cancelled", True)


def test_who_never_went_to_pay_was_not_charged(sale: FlashSale, payment: Payment, alice: User) -> None:
    Payment.objects.all().delete()
    create_dead_letter(sale)
    assert read_explanation(payment, alice) == ("Nothing was charged.", "cancelled", True)


def test_an_earlier_attempt_whose_money_came_is_not_forgotten(
    sale: FlashSale, payment: Payment, alice: User
) -> None:
    payers.send_callback(payment, outcome="failed")
    second = payers.begin_payment(access.order_or_queued(payment.order_id, alice))
    payers.send_callback(second, outcome="failed")
    SandboxCharge.objects.update(state=SandboxCharge.State.PAID)
    payers.send_callback(payment)
    create_dead_letter(sale)
    assert read_explanation(payment, alice)[0] == "¥49 are on their way back to you."
    payers.send_callback(second)
    assert read_explanation(payment, alice)[0] == "¥49 are on their way back to you.", (
        "the second is back already"
    )
    Payment.objects.filter(state=PaymentState.SUCCEEDED).update(due_at=timezone.now())
    tasks.sweep()
    assert read_explanation(payment, alice)[0] == "You got ¥98 back."
