"""Alipay: a payment from its signed page to its refund, callbacks that are none, and Alipay being away."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.models.payments import Charge, Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import alipay_pages, checkout, provider, refunds, settlement
from apps.coupons.payments.alipay_pages import AlipayPages
from tests.coupons import buyers, payers
from tests.coupons.payments import alipay_double
from tests.coupons.payments.alipay_double import AlipayDouble
from tests.factories import VoucherFactory
from tests.http_double import Answer
from tests.shops import makers

CALLBACK = "/api/payments/alipay/callback"
FORM = "application/x-www-form-urlencoded; charset=utf-8"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alipay(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AlipayDouble]:
    """Alipay on loopback; new payments go there."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with alipay_double.serve() as double:
        private, public = alipay_double.write_keys(tmp_path)
        settings.PAYMENT_PROVIDER = "apps.coupons.payments.alipay_pages.AlipayPages"
        settings.ALIPAY_APP_ID, settings.SITE_URL = alipay_double.APP_ID, "https://savor.example"
        settings.ALIPAY_PRIVATE_KEY_FILE, settings.ALIPAY_PUBLIC_KEY_FILE = str(private), str(public)
        settings.ALIPAY_GATEWAY = f"{double.server.url}/gateway.do"
        yield double


@pytest.fixture
def payment(order: VoucherOrder, alipay: AlipayDouble) -> Payment:
    """Begun, and paid on Alipay's page."""
    alipay.open(checkout.begin(order, return_url=payers.RETURN_URL))
    return Payment.objects.get()


def send(body: bytes) -> tuple[int, str]:
    answer = Client().post(CALLBACK, body, content_type=FORM)
    return answer.status_code, answer.content.decode() if answer.status_code == 200 else answer.json()["code"]


def read_states(payment: Payment) -> tuple[str, str]:
    payment.refresh_from_db()
    return VoucherOrder.objects.get(pk=payment.order_id).status, payment.state


def test_a_buyer_goes_to_a_page_that_we_have_signed(
    order: VoucherOrder, alice: User, alipay: AlipayDouble
) -> None:
    answer = buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/")
    assert "form-action 'self' https://*.alipay.com" in answer["Content-Security-Policy"]
    assert answer["Location"].startswith(f"{alipay.server.url}/gateway.do?")
    page = alipay.open(answer["Location"])
    payment = Payment.objects.get()
    assert page["method"] == "alipay.trade.page.pay"
    assert (page["out_trade_no"], page["total_amount"]) == (payment.reference, "49.00")
    assert page["notify_url"] == f"https://savor.example{CALLBACK}"
    assert page["return_url"].endswith(f"/orders/{order.pk}/returned/")
    assert not alipay.calls, "a page is signed without a call"


def test_a_callback_pays_the_order_and_is_answered_in_one_word(
    payment: Payment, alipay: AlipayDouble
) -> None:
    body = alipay.callback(payment.reference)
    assert send(body) == (200, "success")
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)
    assert send(body) == (200, "success")
    assert send(alipay.callback(payment.reference, trade_status="TRADE_CLOSED")) == (200, "success")
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)


def test_a_trade_that_waits_or_closes(payment: Payment, alipay: AlipayDouble) -> None:
    assert send(alipay.callback(payment.reference, trade_status="WAIT_BUYER_PAY")) == (200, "success")
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)
    assert send(alipay.callback(payment.reference, trade_status="TRADE_CLOSED")) == (200, "success")
    assert read_states(payment) == (Status.UNPAID, PaymentState.FAILED)


@pytest.mark.parametrize("amount", ["0.01", "4900", "49.01", "99999999999.99"])
def test_another_amount_pays_nothing(payment: Payment, alipay: AlipayDouble, amount: str) -> None:
    assert send(alipay.callback(payment.reference, total_amount=amount)) == (409, "amount_differs")
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


@pytest.mark.parametrize("amount", ["", "-49.00", "49.001", "4９.00", "NaN", "1e2", "9" * 5_000])
def test_an_amount_that_is_none_pays_nothing(payment: Payment, alipay: AlipayDouble, amount: str) -> None:
    assert send(alipay.callback(payment.reference, total_amount=amount)) == (400, "invalid")
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)


def test_49_yuan_without_decimals_is_the_same_amount(payment: Payment, alipay: AlipayDouble) -> None:
    assert send(alipay.callback(payment.reference, total_amount="49")) == (200, "success")
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)


def test_forged_callbacks_are_refused(payment: Payment, alipay: AlipayDouble) -> None:
    good = alipay.callback(payment.reference)
    forged = [
        b"",
        b"\xff\xfe",
        b"sign=x",
        good.replace(b"total_amount=49.00", b"total_amount=0.01"),
        good.replace(b"RSA2", b"RSA"),
        alipay.callback(payment.reference, owner="app"),
        alipay.callback(payment.reference, app_id="2021000000000002"),
        b"&".join([good, *(b"x=1" for _ in range(200))]),
    ]
    assert [send(body) for body in forged] == [(403, "bad_signature")] * len(forged)
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)
    assert send(alipay.callback(payment.reference, out_trade_no="0" * 32)) == (404, "not_found")


def test_a_query_finds_what_no_callback_said(order: VoucherOrder, alipay: AlipayDouble) -> None:
    url = checkout.begin(order, return_url=payers.RETURN_URL)
    payment = Payment.objects.get()
    assert AlipayPages().query(payment.reference) is None, "the buyer has not opened the page"
    alipay.open(url, state="WAIT_BUYER_PAY")
    assert AlipayPages().query(payment.reference) is None
    alipay.open(url)
    settlement.query_provider(payment.pk)
    assert read_states(payment) == (Status.PAID, PaymentState.SUCCEEDED)


def test_the_money_goes_back_once(payment: Payment, alipay: AlipayDouble) -> None:
    send(alipay.callback(payment.reference))
    refunds.refund_order(VoucherOrder.objects.get())
    refunds.execute(payment.pk)
    assert read_states(payment) == (Status.REFUNDED, PaymentState.REFUNDED)
    AlipayPages().refund(payment)
    assert alipay.refunds == {payment.reference: "49.00"}


def test_several_orders_are_one_trade_and_each_its_own_refund(alice: User, alipay: AlipayDouble) -> None:
    voucher = VoucherFactory.create(shop=makers.shop(), per_person=2, price=4_900)
    orders = [lifecycle.create_order(voucher, user=alice, request_token=str(number)) for number in range(2)]
    page = alipay.open(checkout.begin_together(orders, return_url=payers.RETURN_URL))
    charge = Charge.objects.get()
    assert (page["out_trade_no"], page["total_amount"]) == (charge.reference, "98.00")
    assert send(alipay.callback(charge.reference)) == (200, "success")
    parts = [payers.find_part(charge, order) for order in orders]
    for order, part, state in zip(orders, parts, ("TRADE_SUCCESS", "TRADE_CLOSED"), strict=True):
        order.refresh_from_db()
        refunds.refund_order(order)
        AlipayPages().refund_part(charge, part.amount, part.reference)
        # Alipay tells of each refund too.
        returned = alipay.refunds[part.reference]
        notice = alipay.callback(charge.reference, trade_status=state, refund_fee=returned)
        assert send(notice) == (200, "success")
        assert read_states(part) == (Status.REFUNDED, PaymentState.REFUNDED)
    assert alipay.refunds == dict.fromkeys((part.reference for part in parts), "49.00")
    refunded = [json.loads(call["biz_content"])["out_trade_no"] for call in alipay.calls]
    assert set(refunded) == {charge.reference}


@pytest.mark.parametrize("fault", ["down", "silent", "html", "unsigned", "forged", "refused"])
def test_an_alipay_that_is_away_or_wrong_loses_nothing(
    payment: Payment, alipay: AlipayDouble, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(alipay_pages, "TIMEOUT_SECONDS", 0.3)
    query, paid = "alipay.trade.query", {"code": "10000", "trade_status": "TRADE_SUCCESS"}
    paid |= {"out_trade_no": payment.reference, "total_amount": "49.00"}
    alipay.fault = {
        "down": Answer(502, b""),
        "silent": Answer(silent=True),
        "html": Answer(200, b"<html>"),
        "unsigned": Answer(200, b'{"alipay_trade_query_response": {"code": "10000"}}'),
        "forged": alipay.say(query, paid, owner="app"),
        "refused": alipay.say(query, {"code": "20000", "sub_code": "isp.unknow-error"}),
    }[fault]
    settlement.query_provider(payment.pk)
    assert read_states(payment) == (Status.UNPAID, PaymentState.BEGUN)
    alipay.fault, fault_answer = None, alipay.fault
    settlement.query_provider(payment.pk)
    alipay.fault = fault_answer
    refunds.refund_order(VoucherOrder.objects.get())
    assert Payment.objects.get().tries == 1
    assert read_states(payment) == (Status.REFUNDED, PaymentState.REFUNDING)


def test_it_takes_yuan_alone(order: VoucherOrder, alice: User, alipay: AlipayDouble) -> None:
    VoucherOrder.objects.update(currency="JPY")
    answer = buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["code"]) == (503, "no_payments")


@pytest.mark.parametrize(
    "content", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
)
def test_a_key_that_is_none_is_said(alipay: AlipayDouble, settings: Settings, content: str) -> None:
    Path(settings.ALIPAY_PRIVATE_KEY_FILE).write_text(content)
    with pytest.raises(provider.NotConfigured, match="a key of Alipay can't be read"):
        AlipayPages()
    settings.ALIPAY_APP_ID = ""
    with pytest.raises(provider.NotConfigured, match="set ALIPAY_APP_ID"):
        AlipayPages()
