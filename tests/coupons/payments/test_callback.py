"""What the payment provider's callback does, and what is no callback at all."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.coupons.models import Status, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import api, sandbox
from tests.coupons import payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


@pytest.fixture
def payment(order: VoucherOrder) -> Payment:
    """Begun, and paid at the bank."""
    begun = payers.begin_payment(order)
    payers.set_charge_state(begun)
    return begun


def read_states(order: VoucherOrder, payment: Payment) -> tuple[str, str]:
    order.refresh_from_db()
    payment.refresh_from_db()
    return order.status, payment.state


def problem_code(answer: Any) -> tuple[int, str]:
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_a_callback_pays_the_order(order: VoucherOrder, payment: Payment) -> None:
    answer = payers.send_callback(payment)
    assert (answer.status_code, answer.json()) == (200, {"state": "succeeded"})
    assert read_states(order, payment) == (Status.PAID, PaymentState.SUCCEEDED)
    assert order.paid_at is not None
    assert None not in (payment.finished_at, payment.settled_at)
    assert payment.due_at is None


def test_a_callback_that_comes_again_changes_nothing(order: VoucherOrder, payment: Payment) -> None:
    payers.send_callback(payment)
    before = Payment.objects.values().get(), VoucherOrder.objects.values().get()
    for again in ({}, {"outcome": "failed", "reason": "no"}):
        assert payers.send_callback(payment, **again).status_code == 200
    assert (Payment.objects.values().get(), VoucherOrder.objects.values().get()) == before


def test_a_failed_payment_leaves_the_order_unpaid_and_can_be_tried_again(
    order: VoucherOrder, payment: Payment
) -> None:
    assert payers.send_callback(payment, outcome="failed", reason="no money").json() == {"state": "failed"}
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.FAILED)
    assert payment.reason == "no money"
    second = payers.pay_order(order)
    assert (second.reference != payment.reference, order.status) == (True, Status.PAID)


def test_a_bank_that_says_yes_after_all_has_its_money_counted(order: VoucherOrder, payment: Payment) -> None:
    payers.send_callback(payment, outcome="failed", reason="no")
    payers.send_callback(payment)
    assert read_states(order, payment) == (Status.PAID, PaymentState.SUCCEEDED)
    assert payment.reason == ""


@pytest.mark.parametrize(
    "changes", [{"amount": 4_899}, {"amount": 10**30}, {"currency": "USD"}, {"amount": 0}]
)
def test_another_amount_or_currency_is_refused_and_kept(
    order: VoucherOrder, payment: Payment, changes: dict[str, Any]
) -> None:
    assert problem_code(payers.send_callback(payment, **changes)) == (409, "amount_differs")
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.BEGUN)
    assert "asked were 4900 CNY" in payment.trouble
    assert payers.send_callback(payment).status_code == 200
    assert read_states(order, payment) == (Status.PAID, PaymentState.SUCCEEDED)
    assert payment.trouble, "people still see it"


def test_an_unknown_reference_is_not_found(payment: Payment) -> None:
    assert problem_code(payers.send_callback(payment, reference="0" * 32)) == (404, "not_found")


def test_another_provider_has_no_callback_here(payment: Payment) -> None:
    body = json.dumps(payers.build_notice(payment)).encode()
    assert problem_code(payers.post_callback(body, name="another")) == (404, "not_found")


def test_outside_the_demo_the_sandbox_is_not_heard(
    order: VoucherOrder, payment: Payment, settings: Settings
) -> None:
    body = json.dumps(payers.build_notice(payment)).encode()
    headers = payers.signed_headers(body)
    settings.DEMO = False
    answer = Client().post(payers.CALLBACK, body, content_type="application/json", headers=headers)
    assert problem_code(answer) == (404, "not_found")
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.BEGUN)


def test_a_payment_of_another_provider_is_unknown(order: VoucherOrder, payment: Payment) -> None:
    Payment.objects.update(provider="another")
    assert problem_code(payers.send_callback(payment)) == (404, "not_found")
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.BEGUN)


FORGED: list[dict[str, str]] = [
    {sandbox.SIGNATURE_HEADER: "0" * 64},
    {sandbox.SIGNATURE_HEADER: ""},
    {sandbox.SIGNATURE_HEADER: "é" * 64},
    {sandbox.SIGNATURE_HEADER: "x" * 5_000},
    {sandbox.TIMESTAMP_HEADER: "1700000000"},
    {sandbox.TIMESTAMP_HEADER: ""},
    {sandbox.TIMESTAMP_HEADER: "-1"},
    {sandbox.TIMESTAMP_HEADER: "1e9"},
    {sandbox.TIMESTAMP_HEADER: "NaN"},
    {sandbox.TIMESTAMP_HEADER: "１７００００００００"},
    {sandbox.TIMESTAMP_HEADER: "9" * 400},
]


@pytest.mark.parametrize("headers", FORGED)
def test_what_the_provider_did_not_sign_is_refused(
    order: VoucherOrder, payment: Payment, headers: dict[str, str]
) -> None:
    body = json.dumps(payers.build_notice(payment)).encode()
    assert problem_code(payers.post_callback(body, headers=payers.signed_headers(body) | headers)) == (
        403,
        "bad_signature",
    )
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.BEGUN)


def test_without_any_signature_it_is_refused(payment: Payment) -> None:
    answer = Client().post(payers.CALLBACK, payers.build_notice(payment), content_type="application/json")
    assert problem_code(answer) == (403, "bad_signature")


def test_a_changed_body_is_forged(order: VoucherOrder, payment: Payment) -> None:
    body = json.dumps(payers.build_notice(payment)).encode()
    headers = payers.signed_headers(body)
    changed = body.replace(b"4900", b"4901")
    answer = Client().post(payers.CALLBACK, changed, content_type="application/json", headers=headers)
    assert problem_code(answer) == (403, "bad_signature")


@pytest.mark.parametrize("minutes", [-5.1, -60, 5.1])
def test_a_callback_that_somebody_kept_is_stale(
    order: VoucherOrder, payment: Payment, minutes: float
) -> None:
    body = json.dumps(payers.build_notice(payment)).encode()
    answer = payers.post_callback(
        body, headers=payers.signed_headers(body, timezone.now() + timedelta(minutes=minutes))
    )
    assert problem_code(answer) == (403, "stale")
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.BEGUN)


NO_NOTICES: list[bytes] = [
    b"",
    b"null",
    b"[]",
    b"17",
    b"{",
    b"\xff\xfe",
    b"\x00",
    b'{"reference": NaN}',
    b"[" * 16_000,
    b'{"amount": ' + b"9" * 15_000 + b"}",
]


@pytest.mark.parametrize("body", NO_NOTICES, ids=range(len(NO_NOTICES)))
def test_what_is_signed_and_no_notice_is_invalid(db: None, body: bytes) -> None:
    assert problem_code(payers.post_callback(body)) == (400, "invalid")


WRONG: list[dict[str, Any]] = [
    {"reference": None},
    {"reference": 7},
    {"reference": "a\x00b"},
    {"reference": "A" * 32},
    {"reference": "0" * 33},
    {"reference": ["0" * 32]},
    {"outcome": "paid"},
    {"outcome": True},
    {"outcome": None},
    {"outcome": ["succeeded"]},
    {"amount": "4900"},
    {"amount": 4900.0},
    {"amount": True},
    {"amount": None},
    {"amount": -4900},
    {"currency": "cny"},
    {"currency": "CNY\x00"},
    {"currency": 156},
    {"reason": "\x00"},
    {"reason": "\ud800"},
    {"reason": 7},
]


@pytest.mark.parametrize("changes", WRONG, ids=str)
def test_a_member_of_the_wrong_kind_is_invalid(
    order: VoucherOrder, payment: Payment, changes: dict[str, Any]
) -> None:
    assert problem_code(payers.send_callback(payment, **changes)) == (400, "invalid")
    assert read_states(order, payment) == (Status.UNPAID, PaymentState.BEGUN)


@pytest.mark.both_databases
@pytest.mark.parametrize("amount", [2**31, 2**63, 2**63 + 1, 2**64])
def test_an_amount_that_no_row_can_hold_differs(payment: Payment, amount: int) -> None:
    assert problem_code(payers.send_callback(payment, amount=amount)) == (409, "amount_differs")


def test_a_long_reason_is_cut(payment: Payment) -> None:
    payers.send_callback(payment, outcome="failed", reason="钱" * 2_000)
    assert Payment.objects.get().reason == "钱" * 200


def test_a_huge_body_is_not_even_read(db: None) -> None:
    assert problem_code(payers.post_callback(b" " * (api.MAX_BODY_BYTES + 1))) == (413, "too_large")


def test_a_session_is_neither_needed_nor_asked_for(order: VoucherOrder, payment: Payment) -> None:
    bank = Client(headers={"sec-fetch-site": ""})
    body = json.dumps(payers.build_notice(payment)).encode()
    headers = payers.signed_headers(body)
    answer = bank.post(payers.CALLBACK, body, content_type="application/json", headers=headers)
    assert (answer.status_code, order.status) == (200, "unpaid")
    assert read_states(order, payment) == (Status.PAID, PaymentState.SUCCEEDED)


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_only_a_post_is_a_callback(method: str, db: None) -> None:
    assert problem_code(getattr(Client(), method)(payers.CALLBACK)) == (405, "method_not_allowed")


def test_a_stranger_may_not_try_for_ever_and_the_provider_is_still_heard(
    order: VoucherOrder, payment: Payment
) -> None:
    forged = payers.signed_headers(b"{}") | {sandbox.SIGNATURE_HEADER: "0" * 64}
    answers = [
        payers.post_callback(b"{}", headers=forged).status_code for _ in range(api.BAD_CALLBACKS.allowed + 1)
    ]
    assert answers == [403] * api.BAD_CALLBACKS.allowed + [429]
    assert payers.send_callback(payment).status_code == 200
    assert read_states(order, payment) == (Status.PAID, PaymentState.SUCCEEDED)


def test_without_redis_a_callback_pays_all_the_same(
    order: VoucherOrder, payment: Payment, redis_away_now: Any
) -> None:
    redis_away_now()
    assert payers.post_callback(b"{}", headers={sandbox.SIGNATURE_HEADER: "0"}).status_code == 403
    assert payers.send_callback(payment).status_code == 200
    assert read_states(order, payment) == (Status.PAID, PaymentState.SUCCEEDED)


def test_a_paid_order_is_not_paid_again(order: VoucherOrder, payment: Payment) -> None:
    payers.send_callback(payment)
    order.refresh_from_db()
    with pytest.raises(lifecycle.TransitionNotAllowed, match="paid"):
        payers.begin_payment(order)
