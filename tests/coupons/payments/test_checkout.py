"""The way to the provider and back, for programs and for people."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.buyer import order_display, order_views
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import provider, refunds
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


def post_pay(number: int, user: User) -> dict[str, Any]:
    answer = buyers.api_client(user).post(f"/api/orders/{number}/pay")
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert isinstance(found, dict)
    return found


def displayed_state(order: VoucherOrder, user: User) -> str:
    html = buyers.browser_client(user).get(f"/orders/{order.pk}/").content.decode()
    found = re.search(r'data-order-state="(\w+)"', html)
    assert found, html
    return found[1]


def refresh_trigger(order: VoucherOrder, user: User) -> str:
    html = buyers.browser_client(user).get(f"/orders/{order.pk}/").content.decode()
    found = re.search(r'id="order-state"[^>]*hx-trigger="([^"]*)"', html)
    return found[1] if found else ""


def test_paying_begins_one_payment_however_often_one_presses(order: VoucherOrder, alice: User) -> None:
    first = post_pay(order.pk, alice)
    assert (first["status"], first["payment"], first["redeem_code"]) == ("unpaid", "begun", None)
    payment = Payment.objects.get()
    assert first["pay_url"] == f"http://testserver/sandbox/pay/{payment.reference}/"
    assert (payment.amount, payment.currency, payment.order_id) == (4_900, "CNY", order.pk)
    assert post_pay(order.pk, alice) == first
    page = buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/")
    assert (page.status_code, page["Location"]) == (302, first["pay_url"])
    assert (Payment.objects.count(), SandboxCharge.objects.count()) == (1, 1)
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    paid = buyers.api_client(alice).get(f"/api/orders/{order.pk}").json()
    assert (paid["status"], paid["payment"], paid["redeem_code"]) == ("paid", "succeeded", order.redeem_code)


def test_after_a_failure_the_next_press_is_another_payment(order: VoucherOrder, alice: User) -> None:
    first = post_pay(order.pk, alice)
    payers.send_callback(Payment.objects.get(), outcome="failed")
    failed = buyers.api_client(alice).get(f"/api/orders/{order.pk}").json()
    assert (failed["status"], failed["payment"]) == ("unpaid", "failed")
    assert post_pay(order.pk, alice)["pay_url"] != first["pay_url"]


def test_a_queued_order_can_be_paid_already(sale: FlashSale, alice: User) -> None:
    number = buyers.queue_order(sale, alice)
    first = post_pay(number, alice)
    assert (first["status"], first["payment"], first["price"]) == ("queued", "begun", 4_900)
    payment = Payment.objects.get()
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    again = buyers.api_client(alice).post(f"/api/orders/{number}/pay")
    assert (again.status_code, again.json()["code"]) == (409, "being_confirmed")
    assert buyers.browser_client(alice).post(f"/orders/{number}/pay/")["Location"] == f"/orders/{number}/"


@pytest.mark.parametrize("path", ["/api/orders/{}/pay", "/orders/{}/pay/", "/orders/{}/returned/"])
def test_nobody_else_pays_or_comes_back(order: VoucherOrder, alice: User, bob: User, path: str) -> None:
    post_pay(order.pk, alice)
    before = Payment.objects.values().get()
    stranger = buyers.api_client(bob) if path.startswith("/api/") else buyers.browser_client(bob)
    method = stranger.get if "returned" in path else stranger.post
    assert method(path.format(order.pk)).status_code == 404
    assert Payment.objects.values().get() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"DEMO": False},
        {"DEMO": False, "PAYMENT_SECRET": "s" * 40},
        {"PAYMENT_PROVIDER": f"{__name__}.ClosedProvider"},
    ],
    ids=str,
)
def test_without_a_provider_nobody_can_pay_now(
    order: VoucherOrder, alice: User, settings: Settings, wrong: dict[str, Any]
) -> None:
    for name, value in wrong.items():
        setattr(settings, name, value)
    answer = buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "no_payments", "60")
    assert buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/").status_code == 503
    order.refresh_from_db()
    assert order.status == Status.UNPAID


class ClosedProvider:
    """A provider that is away."""

    name = "closed"

    def begin(self, payment: Payment, return_url: str) -> str:
        raise provider.Unavailable("closed for the night")


def test_the_secret_is_the_settings_own_or_in_the_demo_made_of_the_key(settings: Settings) -> None:
    made = provider.callback_secret()
    assert len(made) == 32
    settings.SECRET_KEY = "another-" * 10
    assert provider.callback_secret() != made
    settings.PAYMENT_SECRET = "s" * 40
    assert provider.callback_secret() == b"s" * 40
    settings.PAYMENT_SECRET = "short"
    with pytest.raises(provider.NotConfigured, match="at least 32"):
        provider.callback_secret()
    settings.PAYMENT_SECRET, settings.DEMO = "", False
    with pytest.raises(provider.NotConfigured, match="set PAYMENT_SECRET"):
        provider.callback_secret()


# -- what the order's page shows ---------------------------------------------------------------


def test_the_page_waits_for_a_bank_that_has_not_told_us_yet(order: VoucherOrder, alice: User) -> None:
    payment = payers.begin_payment(order)
    assert (displayed_state(order, alice), refresh_trigger(order, alice)[:8]) == ("unpaid", "every 5s")
    back = buyers.browser_client(alice).get(f"/orders/{order.pk}/returned/")
    assert (back.status_code, back["Location"]) == (302, f"/orders/{order.pk}/#order-state")
    assert (displayed_state(order, alice), refresh_trigger(order, alice)) == ("confirming", "every 1s")
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    state = buyers.browser_client(alice).get(f"/orders/{order.pk}/state/?shown=confirming").content.decode()
    assert 'data-order-state="paid"' in state
    assert order.redeem_code in state


def test_an_order_settled_between_two_reads_is_not_to_be_paid_again(order: VoucherOrder, alice: User) -> None:
    payers.pay_order(order)
    # What a reader has whose order was read before the payment was settled, and its payment after.
    VoucherOrder.objects.filter(pk=order.pk).update(status=Status.UNPAID)
    assert (displayed_state(order, alice), refresh_trigger(order, alice)) == ("confirming", "every 1s")
    again = buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay")
    assert (again.status_code, again.json()["code"]) == (409, "being_confirmed")
    assert Payment.objects.count() == 1


def test_who_gave_up_is_asked_to_pay_again(order: VoucherOrder, alice: User) -> None:
    payers.begin_payment(order)
    buyers.browser_client(alice).get(f"/orders/{order.pk}/returned/?gave_up=1")
    assert displayed_state(order, alice) == "unpaid"


def test_a_bank_that_stays_silent_lets_the_buyer_try_again(order: VoucherOrder, alice: User) -> None:
    payers.begin_payment(order)
    Payment.objects.update(returned_at=timezone.now() - order_display.CONFIRMATION_WAIT)
    assert displayed_state(order, alice) == "unpaid"


def test_coming_back_after_the_callback_changes_nothing(order: VoucherOrder, alice: User) -> None:
    payers.pay_order(order)
    before = Payment.objects.values().get()
    buyers.browser_client(alice).get(f"/orders/{order.pk}/returned/")
    assert (displayed_state(order, alice), Payment.objects.values().get()) == ("paid", before)


def test_a_failed_payment_is_said_and_offered_again(order: VoucherOrder, alice: User) -> None:
    payers.send_callback(payers.begin_payment(order), outcome="failed")
    html = buyers.browser_client(alice).get(f"/orders/{order.pk}/").content.decode()
    assert displayed_state(order, alice) == "failed"
    assert "The payment did not go through" in html
    assert f'action="/orders/{order.pk}/pay/"' in html
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert displayed_state(order, alice) == "overdue"


@pytest.mark.parametrize(
    ("state", "came_back", "face", "words"),
    [
        (PaymentState.BEGUN, True, "too_late", "it goes back by itself"),
        (PaymentState.BEGUN, False, "cancelled", "Nothing was charged"),
        (PaymentState.REFUNDING, True, "money_back", "¥49 are on their way back"),
        (PaymentState.REFUNDED, True, "money_returned", "You got ¥49 back"),
        (PaymentState.FAILED, True, "cancelled", "Nothing was charged"),
    ],
)
def test_a_cancelled_order_says_where_the_money_is(
    order: VoucherOrder, alice: User, state: PaymentState, came_back: bool, face: str, words: str
) -> None:
    payers.begin_payment(order)
    lifecycle.cancel(order)
    Payment.objects.update(state=state, returned_at=timezone.now() if came_back else None)
    assert displayed_state(order, alice) == face
    assert (refresh_trigger(order, alice) == "every 1s") == (face in {"too_late", "money_back"})
    assert words in buyers.browser_client(alice).get(f"/orders/{order.pk}/").content.decode()


def test_a_refund_on_its_way_is_shown_until_it_is_there(order: VoucherOrder, alice: User) -> None:
    payers.pay_order(order)
    refunds.refund_order(order)
    assert displayed_state(order, alice) == "refunded"
    Payment.objects.update(state=PaymentState.REFUNDING)
    assert (displayed_state(order, alice), refresh_trigger(order, alice)) == ("refunding", "every 1s")


def test_outside_the_sandbox_nothing_speaks_of_it(
    order: VoucherOrder, alice: User, settings: Settings
) -> None:
    assert "no money moves" in buyers.browser_client(alice).get(f"/orders/{order.pk}/").content.decode()
    settings.DEMO = False
    assert "no money moves" not in buyers.browser_client(alice).get(f"/orders/{order.pk}/").content.decode()


def test_a_payment_survives_its_owners_orders_going_by(sale: FlashSale, alice: User) -> None:
    number = buyers.queue_order(sale, alice)
    payers.begin_payment(order_views.find_order_or_queued(number, alice))
    row = buyers.record_order(sale, number)
    assert post_pay(row.pk, alice)["payment"] == "begun"
    assert Payment.objects.count() == 1


def test_a_visitor_who_comes_back_logs_in_first(order: VoucherOrder) -> None:
    answer = Client().get(f"/orders/{order.pk}/returned/")
    assert answer["Location"].startswith("/login/?next=%2Forders%2F")
