"""Stripe: a payment from its page to its refund, every callback that is none, and Stripe being away."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.models.payments import Charge, Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, provider, refunds, settlement, stripe_checkout
from apps.coupons.payments.stripe_checkout import StripeCheckout
from tests.coupons import buyers, payers
from tests.coupons.payments import stripe_double
from tests.coupons.payments.stripe_double import StripeDouble
from tests.factories import VoucherFactory
from tests.http_double import Answer
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stripe(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[StripeDouble]:
    """Stripe on loopback; new payments go there."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with stripe_double.serve() as double:
        settings.PAYMENT_PROVIDER = "apps.coupons.payments.stripe_checkout.StripeCheckout"
        settings.STRIPE_SECRET_KEY, settings.STRIPE_WEBHOOK_SECRET = (
            stripe_double.KEY,
            stripe_double.WEBHOOK_SECRET,
        )
        settings.STRIPE_API_URL = double.server.url
        yield double


@pytest.fixture
def payment(order: VoucherOrder, stripe: StripeDouble) -> Payment:
    """Begun at Stripe."""
    return payers.begin_payment(order)


def send(body: bytes, headers: dict[str, str] | None = None) -> tuple[int, dict[str, object]]:
    answer = payers.post_callback(body, name="stripe", headers=headers or stripe_double.sign(body))
    return answer.status_code, answer.json()


def read_states(payment: Payment) -> tuple[str, str]:
    payment.refresh_from_db()
    return VoucherOrder.objects.get(pk=payment.order_id).status, payment.state


def test_a_buyer_goes_to_the_page_of_the_payment_s_session(
    order: VoucherOrder, alice: User, stripe: StripeDouble
) -> None:
    answer = buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/")
    assert answer["Location"] == "https://checkout.stripe.com/c/pay/cs_test_1"
    assert "form-action 'self' https://checkout.stripe.com" in answer["Content-Security-Policy"]
    payment = Payment.objects.get()
    assert (payment.provider, payment.provider_reference) == ("stripe", "cs_test_1")
    (session,) = stripe.sessions.values()
    assert (session["amount_total"], session["currency"]) == (order.price, order.currency.lower())
    assert session["client_reference_id"] == payment.reference
    again = buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/")
    assert again["Location"] == answer["Location"]
    assert len(stripe.sessions) == 1


def test_a_beginning_whose_answer_was_lost_leads_to_the_same_session(
    order: VoucherOrder, payment: Payment, stripe: StripeDouble
) -> None:
    Payment.objects.update(provider_reference="")
    payers.begin_payment(order)
    assert len(stripe.sessions) == 1


def test_an_event_pays_the_order(payment: Payment, stripe: StripeDouble) -> None:
    stripe.pay()
    assert send(stripe.event()) == (200, {"received": True})
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)
    assert send(stripe.event("checkout.session.async_payment_failed")) == (200, {"received": True})
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)


@pytest.mark.parametrize("kind", ["checkout.session.expired", "checkout.session.async_payment_failed"])
def test_a_session_that_ended_without_money_failed(payment: Payment, stripe: StripeDouble, kind: str) -> None:
    stripe.pay("expired", "unpaid")
    assert send(stripe.event(kind))[0] == 200
    assert read_states(payment) == (Status.UNPAID, PaymentState.FAILED)


def test_money_that_is_on_its_way_is_waited_for(payment: Payment, stripe: StripeDouble) -> None:
    stripe.pay("complete", "unpaid")
    assert send(stripe.event())[0] == 200
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)
    stripe.pay()
    assert send(stripe.event("checkout.session.async_payment_succeeded"))[0] == 200
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"type": "customer.created", "data": {"object": {}}}'])
def test_events_about_something_else_are_taken_and_change_nothing(payment: Payment, body: bytes) -> None:
    assert send(body) == (200, {"received": True})
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


def test_a_session_of_another_shop_is_not_ours(payment: Payment, stripe: StripeDouble) -> None:
    stripe.pay()
    for reference in (None, "cart 7", {"a": 1}):
        assert send(stripe.event(client_reference_id=reference))[0] == 200
    assert send(stripe.event(client_reference_id="0" * 32))[0] == 404
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


@pytest.mark.parametrize("changes", [{"amount_total": 1}, {"currency": "usd"}])
def test_another_amount_pays_nothing(payment: Payment, stripe: StripeDouble, changes: dict[str, Any]) -> None:
    stripe.pay()
    assert send(stripe.event(**changes))[0] == 409
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


@pytest.mark.parametrize("amount", [None, -1, 1.5, True, "4900", 10**400])
def test_an_amount_that_is_none_pays_nothing(payment: Payment, stripe: StripeDouble, amount: object) -> None:
    stripe.pay()
    assert send(stripe.event(amount_total=amount))[0] in (400, 409)
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


def test_forged_and_old_events_are_refused(payment: Payment, stripe: StripeDouble) -> None:
    stripe.pay()
    body = stripe.event()
    other = stripe_double.sign(body, secret="whsec_other")
    old = stripe_double.sign(body, age=301)
    for headers in ({"X": ""}, {"Stripe-Signature": ""}, {"Stripe-Signature": "t=x,v1=é"}, other):
        status, problem = send(body, headers)
        assert (status, problem["code"]) == (403, "bad_signature")
    assert send(body, old)[1]["code"] == "stale"
    assert send(b"\xff\xfe", stripe_double.sign(b"\xff\xfe"))[0] == 403
    assert send(b"no JSON")[0] == 400
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


def test_a_query_finds_what_no_event_said(payment: Payment, stripe: StripeDouble) -> None:
    assert StripeCheckout().query(payment.reference) is None
    stripe.pay()
    settlement.query_provider(payment.pk)
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)


def test_the_money_goes_back_once(payment: Payment, stripe: StripeDouble) -> None:
    stripe.pay()
    send(stripe.event())
    refunds.refund_order(VoucherOrder.objects.get())
    refunds.execute(payment.pk)
    assert read_states(payment) == (Status.REFUNDED, PaymentState.REFUNDED)
    StripeCheckout().refund(payment)
    stripe.forget_keys()
    StripeCheckout().refund(payment)
    assert [made["payment_intent"] for made in stripe.refunds] == ["pi_cs_test_1"]


def test_several_orders_have_one_session_and_each_its_own_refund(alice: User, stripe: StripeDouble) -> None:
    voucher = VoucherFactory.create(shop=makers.shop(), per_person=2, price=4_900)
    orders = [lifecycle.create_order(voucher, user=alice, request_token=str(number)) for number in range(2)]
    url = checkout.begin_together(orders, return_url=payers.RETURN_URL)
    assert checkout.begin_together(orders, return_url=payers.RETURN_URL) == url
    charge, (session,) = Charge.objects.get(), stripe.sessions.values()
    assert (session["amount_total"], session["client_reference_id"]) == (9_800, charge.reference)
    assert charge.provider_reference == session["id"]
    assert set(Payment.objects.values_list("provider_reference", flat=True)) == {""}, "a release of before"
    assert StripeCheckout().query(charge.reference) is None
    stripe.pay()
    assert send(stripe.event()) == (200, {"received": True})
    for returned, order in enumerate(orders, start=1):
        order.refresh_from_db()
        refunds.refund_order(order)
        part = payers.find_part(charge, order)
        assert part.state == PaymentState.REFUNDED
        for _day in range(2):
            StripeCheckout().refund_part(charge, part.amount, part.reference)
            stripe.forget_keys()
        assert stripe.sum_refunded(session["payment_intent"]) == returned * 4_900
    stripe.fault = Answer(200, b'{"object": "list", "data": null}')
    with pytest.raises(provider.Unavailable):
        StripeCheckout().refund_part(charge, 4_900, "another")


def test_a_payment_of_the_former_provider_is_refunded_after_a_switch(
    payment: Payment, stripe: StripeDouble, settings: Settings
) -> None:
    stripe.pay()
    settings.PAYMENT_PROVIDER = "apps.coupons.payments.sandbox.Sandbox"
    settings.DEMO = True
    assert send(stripe.event())[0] == 404
    with pytest.raises(provider.NotConfigured, match="'stripe' is neither"):
        provider.get_by_name("stripe")
    settings.FORMER_PAYMENT_PROVIDERS = ["apps.coupons.payments.stripe_checkout.StripeCheckout"]
    assert provider.get_configured().name == "sandbox"
    assert send(stripe.event())[0] == 200
    refunds.refund_order(VoucherOrder.objects.get())
    refunds.execute(payment.pk)
    assert read_states(payment) == (Status.REFUNDED, PaymentState.REFUNDED)
    assert len(stripe.refunds) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Answer(500, b"{}"),
        Answer(200, b"<html>"),
        Answer(200, b"[]"),
        Answer(401, b'{"error": {"type": "invalid_request_error"}}'),
        Answer(429, b"{}"),
        Answer(silent=True),
    ],
    ids=str,
)
def test_a_stripe_that_is_away_or_wrong_loses_nothing(
    order: VoucherOrder, alice: User, stripe: StripeDouble, monkeypatch: pytest.MonkeyPatch, fault: Answer
) -> None:
    monkeypatch.setattr(stripe_checkout, "TIMEOUT_SECONDS", 0.3)
    payment = payers.begin_payment(order)
    stripe.pay()
    stripe.fault = fault
    answer = buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["code"]) == (503, "no_payments")
    settlement.query_provider(payment.pk)
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)
    stripe.fault = None
    settlement.query_provider(payment.pk)
    stripe.fault = fault
    refunds.refund_order(VoucherOrder.objects.get())
    assert Payment.objects.get().tries == 1
    assert read_states(payment) == (Status.REFUNDED, PaymentState.REFUNDING)


@pytest.mark.parametrize(
    ("currency", "amount", "at_stripe"),
    [("JPY", 500, 500), ("CNY", 500, 500), ("KWD", 1_230, 1_230), ("ISK", 500, 50_000), ("UGX", 500, 50_000)],
)
def test_amounts_are_in_stripe_s_units(
    payment: Payment, stripe: StripeDouble, currency: str, amount: int, at_stripe: int
) -> None:
    assert stripe_checkout._to_stripe_amount(amount, currency) == at_stripe
    stripe.pay()
    body = stripe.event(amount_total=at_stripe, currency=currency.lower())
    notice = StripeCheckout().verify(stripe_double.sign(body), body)
    assert notice is not None
    assert (notice.amount, notice.currency) == (amount, currency)


def test_without_its_settings_it_takes_no_payments(settings: Settings) -> None:
    settings.STRIPE_SECRET_KEY = ""
    with pytest.raises(provider.NotConfigured, match="STRIPE_SECRET_KEY"):
        StripeCheckout()
