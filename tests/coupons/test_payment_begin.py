"""The way to the provider and back, for programs and for people."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import access, faces, orders
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.payments import provider
from apps.coupons.payments.models import Payment, SandboxCharge, State
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


def begin(number: int, user: User) -> dict[str, Any]:
    answer = buyers.api(user).post(f"/api/orders/{number}/pay")
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert isinstance(found, dict)
    return found


def shown(order: VoucherOrder, user: User) -> str:
    html = buyers.browser(user).get(f"/orders/{order.pk}/").content.decode()
    found = re.search(r'data-face="(\w+)"', html)
    assert found, html
    return found[1]


def asks(order: VoucherOrder, user: User) -> str:
    html = buyers.browser(user).get(f"/orders/{order.pk}/").content.decode()
    found = re.search(r'id="order-state"[^>]*hx-trigger="([^"]*)"', html)
    return found[1] if found else ""


def test_paying_begins_one_payment_however_often_one_presses(order: VoucherOrder, alice: User) -> None:
    first = begin(order.pk, alice)
    assert (first["status"], first["payment"], first["redeem_code"]) == ("unpaid", "begun", None)
    payment = Payment.objects.get()
    assert first["pay_url"] == f"http://testserver/sandbox/pay/{payment.reference}/"
    assert (payment.amount, payment.currency, payment.order_id) == (4_900, "CNY", order.pk)
    assert begin(order.pk, alice) == first
    page = buyers.browser(alice).post(f"/orders/{order.pk}/pay/")
    assert (page.status_code, page["Location"]) == (302, first["pay_url"])
    assert (Payment.objects.count(), SandboxCharge.objects.count()) == (1, 1)
    payers.charge(payment)
    payers.call(payment)
    paid = buyers.api(alice).get(f"/api/orders/{order.pk}").json()
    assert (paid["status"], paid["payment"], paid["redeem_code"]) == ("paid", "succeeded", order.redeem_code)


def test_after_a_failure_the_next_press_is_another_payment(order: VoucherOrder, alice: User) -> None:
    first = begin(order.pk, alice)
    payers.call(Payment.objects.get(), outcome="failed")
    failed = buyers.api(alice).get(f"/api/orders/{order.pk}").json()
    assert (failed["status"], failed["payment"]) == ("unpaid", "failed")
    assert begin(order.pk, alice)["pay_url"] != first["pay_url"]


def test_a_queued_order_can_be_paid_already(sale: FlashSale, alice: User) -> None:
    number = buyers.queued(sale, alice)
    first = begin(number, alice)
    assert (first["status"], first["payment"], first["price"]) == ("queued", "begun", 4_900)
    payment = Payment.objects.get()
    payers.charge(payment)
    payers.call(payment)
    again = buyers.api(alice).post(f"/api/orders/{number}/pay")
    assert (again.status_code, again.json()["code"]) == (409, "being_confirmed")
    assert buyers.browser(alice).post(f"/orders/{number}/pay/")["Location"] == f"/orders/{number}/"


@pytest.mark.parametrize("path", ["/api/orders/{}/pay", "/orders/{}/pay/", "/orders/{}/returned/"])
def test_nobody_else_pays_or_comes_back(order: VoucherOrder, alice: User, bob: User, path: str) -> None:
    begin(order.pk, alice)
    before = Payment.objects.values().get()
    stranger = buyers.api(bob) if path.startswith("/api/") else buyers.browser(bob)
    method = stranger.get if "returned" in path else stranger.post
    assert method(path.format(order.pk)).status_code == 404
    assert Payment.objects.values().get() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"DEMO": False},
        {"DEMO": False, "PAYMENT_SECRET": "s" * 40},
        {"PAYMENT_PROVIDER": f"{__name__}.Closed"},
    ],
    ids=str,
)
def test_without_a_provider_nobody_can_pay_now(
    order: VoucherOrder, alice: User, settings: Settings, wrong: dict[str, Any]
) -> None:
    for name, value in wrong.items():
        setattr(settings, name, value)
    answer = buyers.api(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "no_payments", "60")
    assert buyers.browser(alice).post(f"/orders/{order.pk}/pay/").status_code == 503
    order.refresh_from_db()
    assert order.status == Status.UNPAID


class Closed:
    """A provider that is away."""

    name = "closed"

    def begin(self, payment: Payment, return_url: str) -> str:
        raise provider.Unavailable("closed for the night")


def test_the_secret_is_the_settings_own_or_in_the_demo_made_of_the_key(settings: Settings) -> None:
    made = provider.secret()
    assert len(made) == 32
    settings.SECRET_KEY = "another-" * 10
    assert provider.secret() != made
    settings.PAYMENT_SECRET = "s" * 40
    assert provider.secret() == b"s" * 40
    settings.PAYMENT_SECRET = "short"
    with pytest.raises(provider.NotConfigured, match="at least 32"):
        provider.secret()
    settings.PAYMENT_SECRET, settings.DEMO = "", False
    with pytest.raises(provider.NotConfigured, match="set PAYMENT_SECRET"):
        provider.secret()


# -- what the order's page shows ---------------------------------------------------------------


def test_the_page_waits_for_a_bank_that_has_not_told_us_yet(order: VoucherOrder, alice: User) -> None:
    payment = payers.begun(order)
    assert (shown(order, alice), asks(order, alice)[:8]) == ("unpaid", "every 5s")
    back = buyers.browser(alice).get(f"/orders/{order.pk}/returned/")
    assert (back.status_code, back["Location"]) == (302, f"/orders/{order.pk}/")
    assert (shown(order, alice), asks(order, alice)) == ("confirming", "every 1s")
    payers.charge(payment)
    payers.call(payment)
    state = buyers.browser(alice).get(f"/orders/{order.pk}/state/?shown=confirming").content.decode()
    assert 'data-face="paid"' in state
    assert order.redeem_code in state


def test_who_gave_up_is_asked_to_pay_again(order: VoucherOrder, alice: User) -> None:
    payers.begun(order)
    buyers.browser(alice).get(f"/orders/{order.pk}/returned/?gave_up=1")
    assert shown(order, alice) == "unpaid"


def test_a_bank_that_stays_silent_lets_the_buyer_try_again(order: VoucherOrder, alice: User) -> None:
    payers.begun(order)
    Payment.objects.update(returned_at=timezone.now() - faces.CONFIRMED_WITHIN)
    assert shown(order, alice) == "unpaid"


def test_coming_back_after_the_callback_changes_nothing(order: VoucherOrder, alice: User) -> None:
    payers.paid(order)
    before = Payment.objects.values().get()
    buyers.browser(alice).get(f"/orders/{order.pk}/returned/")
    assert (shown(order, alice), Payment.objects.values().get()) == ("paid", before)


def test_a_failed_payment_is_said_and_offered_again(order: VoucherOrder, alice: User) -> None:
    payers.call(payers.begun(order), outcome="failed")
    html = buyers.browser(alice).get(f"/orders/{order.pk}/").content.decode()
    assert shown(order, alice) == "failed"
    assert "The payment did not go through" in html
    assert f'action="/orders/{order.pk}/pay/"' in html
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert shown(order, alice) == "overdue"


@pytest.mark.parametrize(
    ("state", "came_back", "face", "words"),
    [
        (State.BEGUN, True, "too_late", "it goes back by itself"),
        (State.BEGUN, False, "cancelled", "Nothing was charged"),
        (State.REFUNDING, True, "money_back", "¥49 are on their way back"),
        (State.REFUNDED, True, "money_returned", "You got ¥49 back"),
        (State.FAILED, True, "cancelled", "Nothing was charged"),
    ],
)
def test_a_cancelled_order_says_where_the_money_is(
    order: VoucherOrder, alice: User, state: State, came_back: bool, face: str, words: str
) -> None:
    payers.begun(order)
    orders.cancel(order)
    Payment.objects.update(state=state, returned_at=timezone.now() if came_back else None)
    assert shown(order, alice) == face
    assert (asks(order, alice) == "every 1s") == (face in {"too_late", "money_back"})
    assert words in buyers.browser(alice).get(f"/orders/{order.pk}/").content.decode()


def test_a_refund_on_its_way_is_shown_until_it_is_there(order: VoucherOrder, alice: User) -> None:
    payers.paid(order)
    orders.refund(order)
    assert shown(order, alice) == "refunded"
    Payment.objects.update(state=State.REFUNDING)
    assert (shown(order, alice), asks(order, alice)) == ("refunding", "every 1s")


def test_outside_the_sandbox_nothing_speaks_of_it(
    order: VoucherOrder, alice: User, settings: Settings
) -> None:
    assert "no money moves" in buyers.browser(alice).get(f"/orders/{order.pk}/").content.decode()
    settings.DEMO = False
    assert "no money moves" not in buyers.browser(alice).get(f"/orders/{order.pk}/").content.decode()


def test_a_payment_survives_its_owners_orders_going_by(sale: FlashSale, alice: User) -> None:
    number = buyers.queued(sale, alice)
    payers.begun(access.order_or_queued(number, alice))
    row = buyers.recorded(sale, number)
    assert begin(row.pk, alice)["payment"] == "begun"
    assert Payment.objects.count() == 1


def test_a_visitor_who_comes_back_logs_in_first(order: VoucherOrder) -> None:
    answer = Client().get(f"/orders/{order.pk}/returned/")
    assert answer["Location"].startswith("/login/?next=%2Forders%2F")
