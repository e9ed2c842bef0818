"""What the payment provider's callback does, and what is no callback at all."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.coupons import orders
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.payments import api, limits, signing
from apps.coupons.payments.models import Payment, State
from tests.coupons import payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


@pytest.fixture
def payment(order: VoucherOrder) -> Payment:
    """Begun, and paid at the bank."""
    begun = payers.begun(order)
    payers.charge(begun)
    return begun


def standing(order: VoucherOrder, payment: Payment) -> tuple[str, str]:
    order.refresh_from_db()
    payment.refresh_from_db()
    return order.status, payment.state


def code(answer: Any) -> tuple[int, str]:
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_a_callback_pays_the_order(order: VoucherOrder, payment: Payment) -> None:
    answer = payers.call(payment)
    assert (answer.status_code, answer.json()) == (200, {"state": "succeeded"})
    assert standing(order, payment) == (Status.PAID, State.SUCCEEDED)
    assert order.paid_at is not None
    assert None not in (payment.finished_at, payment.settled_at)
    assert payment.due_at is None


def test_a_callback_that_comes_again_changes_nothing(order: VoucherOrder, payment: Payment) -> None:
    payers.call(payment)
    before = Payment.objects.values().get(), VoucherOrder.objects.values().get()
    for again in ({}, {"outcome": "failed", "reason": "no"}):
        assert payers.call(payment, **again).status_code == 200
    assert (Payment.objects.values().get(), VoucherOrder.objects.values().get()) == before


def test_a_failed_payment_leaves_the_order_unpaid_and_can_be_tried_again(
    order: VoucherOrder, payment: Payment
) -> None:
    assert payers.call(payment, outcome="failed", reason="no money").json() == {"state": "failed"}
    assert standing(order, payment) == (Status.UNPAID, State.FAILED)
    assert payment.reason == "no money"
    second = payers.paid(order)
    assert (second.reference != payment.reference, order.status) == (True, Status.PAID)


def test_a_bank_that_says_yes_after_all_has_its_money_counted(order: VoucherOrder, payment: Payment) -> None:
    payers.call(payment, outcome="failed", reason="no")
    payers.call(payment)
    assert standing(order, payment) == (Status.PAID, State.SUCCEEDED)
    assert payment.reason == ""


@pytest.mark.parametrize(
    "changes", [{"amount": 4_899}, {"amount": 10**30}, {"currency": "USD"}, {"amount": 0}]
)
def test_another_amount_or_currency_is_refused_and_kept(
    order: VoucherOrder, payment: Payment, changes: dict[str, Any]
) -> None:
    assert code(payers.call(payment, **changes)) == (409, "amount_differs")
    assert standing(order, payment) == (Status.UNPAID, State.BEGUN)
    assert "asked were 4900 CNY" in payment.trouble
    assert payers.call(payment).status_code == 200
    assert standing(order, payment) == (Status.PAID, State.SUCCEEDED)
    assert payment.trouble, "people still see it"


def test_an_unknown_reference_is_not_found(payment: Payment) -> None:
    assert code(payers.call(payment, reference="0" * 32)) == (404, "not_found")


def test_another_provider_has_no_callback_here(payment: Payment) -> None:
    body = json.dumps(payers.notice(payment)).encode()
    assert code(payers.send(body, name="another")) == (404, "not_found")


def test_outside_the_demo_the_sandbox_is_not_heard(
    order: VoucherOrder, payment: Payment, settings: Settings
) -> None:
    body = json.dumps(payers.notice(payment)).encode()
    headers = payers.signed(body)
    settings.DEMO = False
    answer = Client().post(payers.CALLBACK, body, content_type="application/json", headers=headers)
    assert code(answer) == (404, "not_found")
    assert standing(order, payment) == (Status.UNPAID, State.BEGUN)


def test_a_payment_of_another_provider_is_unknown(order: VoucherOrder, payment: Payment) -> None:
    Payment.objects.update(provider="another")
    assert code(payers.call(payment)) == (404, "not_found")
    assert standing(order, payment) == (Status.UNPAID, State.BEGUN)


FORGED: list[dict[str, str]] = [
    {signing.SIGNATURE: "0" * 64},
    {signing.SIGNATURE: ""},
    {signing.SIGNATURE: "é" * 64},
    {signing.SIGNATURE: "x" * 5_000},
    {signing.TIMESTAMP: "1700000000"},
    {signing.TIMESTAMP: ""},
    {signing.TIMESTAMP: "-1"},
    {signing.TIMESTAMP: "1e9"},
    {signing.TIMESTAMP: "NaN"},
    {signing.TIMESTAMP: "１７００００００００"},
    {signing.TIMESTAMP: "9" * 400},
]


@pytest.mark.parametrize("headers", FORGED)
def test_what_the_provider_did_not_sign_is_refused(
    order: VoucherOrder, payment: Payment, headers: dict[str, str]
) -> None:
    body = json.dumps(payers.notice(payment)).encode()
    assert code(payers.send(body, headers=payers.signed(body) | headers)) == (403, "bad_signature")
    assert standing(order, payment) == (Status.UNPAID, State.BEGUN)


def test_without_any_signature_it_is_refused(payment: Payment) -> None:
    answer = Client().post(payers.CALLBACK, payers.notice(payment), content_type="application/json")
    assert code(answer) == (403, "bad_signature")


def test_a_changed_body_is_forged(order: VoucherOrder, payment: Payment) -> None:
    body = json.dumps(payers.notice(payment)).encode()
    headers = payers.signed(body)
    changed = body.replace(b"4900", b"4901")
    answer = Client().post(payers.CALLBACK, changed, content_type="application/json", headers=headers)
    assert code(answer) == (403, "bad_signature")


@pytest.mark.parametrize("minutes", [-5.1, -60, 5.1])
def test_a_callback_that_somebody_kept_is_stale(
    order: VoucherOrder, payment: Payment, minutes: float
) -> None:
    body = json.dumps(payers.notice(payment)).encode()
    answer = payers.send(body, headers=payers.signed(body, timezone.now() + timedelta(minutes=minutes)))
    assert code(answer) == (403, "stale")
    assert standing(order, payment) == (Status.UNPAID, State.BEGUN)


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
    assert code(payers.send(body)) == (400, "invalid")


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
    assert code(payers.call(payment, **changes)) == (400, "invalid")
    assert standing(order, payment) == (Status.UNPAID, State.BEGUN)


@pytest.mark.parametrize("amount", [2**31, 2**63, 2**63 + 1, 2**64])
def test_an_amount_that_no_row_can_hold_differs(payment: Payment, amount: int) -> None:
    assert code(payers.call(payment, amount=amount)) == (409, "amount_differs")


def test_a_long_reason_is_cut(payment: Payment) -> None:
    payers.call(payment, outcome="failed", reason="钱" * 2_000)
    assert Payment.objects.get().reason == "钱" * 200


def test_a_huge_body_is_not_even_read(db: None) -> None:
    assert code(payers.send(b" " * (api.LARGEST + 1))) == (413, "too_large")


def test_a_session_is_neither_needed_nor_asked_for(order: VoucherOrder, payment: Payment) -> None:
    strict = Client(enforce_csrf_checks=True)
    body = json.dumps(payers.notice(payment)).encode()
    headers = payers.signed(body)
    answer = strict.post(payers.CALLBACK, body, content_type="application/json", headers=headers)
    assert (answer.status_code, order.status) == (200, "unpaid")
    assert standing(order, payment) == (Status.PAID, State.SUCCEEDED)


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_only_a_post_is_a_callback(method: str, db: None) -> None:
    assert code(getattr(Client(), method)(payers.CALLBACK)) == (405, "method_not_allowed")


def test_a_stranger_may_not_try_for_ever_and_the_provider_is_still_heard(
    order: VoucherOrder, payment: Payment
) -> None:
    forged = payers.signed(b"{}") | {signing.SIGNATURE: "0" * 64}
    answers = [
        payers.send(b"{}", headers=forged).status_code for _ in range(limits.BAD_CALLBACKS.allowed + 1)
    ]
    assert answers == [403] * limits.BAD_CALLBACKS.allowed + [429]
    assert payers.call(payment).status_code == 200
    assert standing(order, payment) == (Status.PAID, State.SUCCEEDED)


def test_without_redis_a_callback_pays_all_the_same(
    order: VoucherOrder, payment: Payment, redis_away_now: Any
) -> None:
    redis_away_now()
    assert payers.send(b"{}", headers={signing.SIGNATURE: "0"}).status_code == 403
    assert payers.call(payment).status_code == 200
    assert standing(order, payment) == (Status.PAID, State.SUCCEEDED)


def test_a_paid_order_is_not_paid_again(order: VoucherOrder, payment: Payment) -> None:
    payers.call(payment)
    order.refresh_from_db()
    with pytest.raises(orders.NotPossible, match="paid"):
        payers.begun(order)
