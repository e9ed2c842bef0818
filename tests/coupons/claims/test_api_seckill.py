"""What POST /api/vouchers/{id}/seckill promises to programs; its refusals are in test_claim_contract."""

import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys, limits
from apps.coupons.claims import receipts, seckill
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.redis_kit import client, limiter
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db
PROBLEM = "application/problem+json"


def grab(voucher_id: object, user: User, **headers: str) -> HttpResponse:
    answer = buyers.api_client(user).post(f"/api/vouchers/{voucher_id}/seckill", headers=headers)
    assert isinstance(answer, HttpResponse)
    return answer


def body_of(answer: Any) -> dict[str, Any]:
    found = answer.json()
    assert isinstance(found, dict)
    return found


def refusal_of(answer: Any) -> tuple[int, str, str | None]:
    body = body_of(answer)
    assert answer["Content-Type"] == PROBLEM
    assert body["status"] == answer.status_code
    assert body["detail"]
    return answer.status_code, body["code"], answer.headers.get("Retry-After")


def test_an_accepted_claim_answers_with_the_order_id_as_text_and_a_receipt(
    sale: FlashSale, alice: User
) -> None:
    answer = grab(sale.pk, alice)
    assert answer.status_code == 201
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk) or 0
    body = body_of(answer)
    assert body == {"order_id": str(order_id), "receipt": body["receipt"]}
    receipt = receipts.read_receipt(body["receipt"])
    assert receipt[:4] == (order_id, alice.pk, sale.pk, sale.epoch)


def test_a_browsers_cookie_claims_from_the_sites_own_pages(sale: FlashSale, alice: User) -> None:
    browser, path = buyers.browser_client(alice), f"/api/vouchers/{sale.pk}/seckill"
    foreign = browser.post(path, headers={"sec-fetch-site": "cross-site"})
    assert refusal_of(foreign) == (403, "cross_origin", None)
    assert seckill.read_stock(sale.pk) == 10
    assert browser.post(path).status_code == 201
    assert seckill.find_order_id(sale.pk, user_id=alice.pk)


def test_an_authorization_header_alone_decides(sale: FlashSale, alice: User) -> None:
    browser = buyers.browser_client(alice)
    answer = browser.post(f"/api/vouchers/{sale.pk}/seckill", headers={"authorization": "Basic YWxpY2U6"})
    assert refusal_of(answer) == (401, "not_logged_in", None)


@pytest.mark.django_db(transaction=True)
def test_a_sale_that_is_not_loaded_opens_by_itself(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(loaded=False)
    assert refusal_of(grab(sale.pk, alice))[1] == "not_ready"
    loaded = any(seckill.read_stock(sale.pk) == 10 for _ in range(100_000))
    assert loaded
    assert grab(sale.pk, alice).status_code == 201


def test_before_its_beginning_a_sale_says_when_it_begins(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(begins_in=60)
    answer = grab(sale.pk, alice)
    assert refusal_of(answer) == (409, "not_started", None)
    begins_at = datetime.fromisoformat(body_of(answer)["begins_at"])
    assert 0 <= (begins_at - sale.begins_at).total_seconds() < 0.002
    assert begins_at > timezone.now()


def test_the_window_moves_with_the_value_that_redis_holds(sale: FlashSale, alice: User) -> None:
    client.get().hset(keys.for_sale(sale.pk).sale, "ends", "1")
    assert refusal_of(grab(sale.pk, alice))[1] == "ended"


@pytest.mark.one_server("trips to it are counted")
def test_a_claim_asks_redis_three_times_and_sql_never(
    sale: FlashSale, alice: User, round_trips: list[object]
) -> None:
    program = buyers.api_client(alice)
    round_trips.clear()
    with CaptureQueriesContext(connection) as caught:
        assert program.post(f"/api/vouchers/{sale.pk}/seckill").status_code == 201
    assert (len(caught), len(round_trips)) == (0, 3)


def test_a_second_claim_hears_which_order_one_has(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=1)
    first = body_of(grab(sale.pk, alice))
    answer = grab(sale.pk, alice)
    assert refusal_of(answer) == (409, "already_bought", None)
    assert body_of(answer)["order_id"] == first["order_id"]


def test_too_many_tries_wait(sale: FlashSale, alice: User, bob: User) -> None:
    limiter.hit([(limits.CLAIM_LIMIT, alice.pk)], cost=limits.CLAIM_LIMIT.allowed)
    status, code, wait = refusal_of(grab(sale.pk, alice))
    assert (status, code) == (429, "too_many_requests")
    assert 1 <= int(wait or 0) <= 10
    assert grab(sale.pk, bob).status_code == 201


def test_the_same_key_hears_the_same_answer(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=1)
    answers = {grab(sale.pk, alice, idempotency_key="one-click").content for _ in range(5)}
    assert len(answers) == 1
    assert seckill.read_stock(sale.pk) == 0
    assert refusal_of(grab(sale.pk, alice, idempotency_key="another"))[1] == "already_bought"


def test_two_people_may_use_the_same_key(sale: FlashSale, alice: User, bob: User) -> None:
    answers = [body_of(grab(sale.pk, who, idempotency_key="1"))["order_id"] for who in (alice, bob)]
    assert len(set(answers)) == 2


@pytest.mark.parametrize("number", ["0", str(2**63), "1_000", "１"])
def test_what_is_no_id_is_refused(alice: User, number: str) -> None:
    answer = buyers.api_client(alice).post(f"/api/vouchers/{number}/buy")
    assert refusal_of(answer)[:2] == (422, "invalid")


def test_a_nul_is_refused(alice: User) -> None:
    assert refusal_of(buyers.api_client(alice).post("/api/vouchers/1%00/seckill"))[:2] == (400, "invalid")


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_other_members_of_a_body_are_refused(sale: FlashSale, alice: User, bob: User, kind: str) -> None:
    wanted = {"user_id": bob.pk, "price": 1, "request_token": "one"}
    body = json.dumps(wanted) if kind == "application/json" else urlencode(wanted)
    answer = buyers.api_client(alice).post(f"/api/vouchers/{sale.pk}/seckill", body, content_type=kind)
    assert refusal_of(answer) == (422, "invalid", None)
    assert {error["field"] for error in body_of(answer)["errors"]} == {"user_id", "price"}
    assert seckill.read_stock(sale.pk) == 10


def test_header_and_body_bring_the_same_request_token(sale: FlashSale, alice: User) -> None:
    program, path = buyers.api_client(alice), f"/api/vouchers/{sale.pk}/seckill"
    said = [
        program.post(path, {"request_token": "one"}, content_type="application/json"),
        program.post(path, "request_token=one", content_type="application/x-www-form-urlencoded"),
        program.post(path, {"request_token": "one"}),
        program.post(path, headers={"idempotency-key": "one"}),
        program.post(
            path,
            "request_token=two",
            headers={"idempotency-key": "one"},
            content_type="application/x-www-form-urlencoded",
        ),
    ]
    assert {(answer.status_code, answer.content) for answer in said} == {(201, said[0].content)}


@pytest.mark.both_databases
def test_an_ordinary_voucher_is_bought_once(voucher: Voucher, alice: User) -> None:
    program = buyers.api_client(alice)
    first = program.post(f"/api/vouchers/{voucher.pk}/buy", headers={"idempotency-key": "one"})
    again = program.post(f"/api/vouchers/{voucher.pk}/buy", headers={"idempotency-key": "one"})
    other = program.post(f"/api/vouchers/{voucher.pk}/buy", headers={"idempotency-key": "two"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert body_of(first) == body_of(again)
    assert (refusal_of(other)[:2], body_of(other)["order_id"]) == (
        (409, "already_bought"),
        body_of(first)["order_id"],
    )
    assert VoucherOrder.objects.get().status == "unpaid"


def test_a_flash_sale_can_not_be_bought_past_its_queue(sale: FlashSale, alice: User) -> None:
    answer = buyers.api_client(alice).post(f"/api/vouchers/{sale.pk}/buy")
    assert refusal_of(answer) == (404, "not_found", None)
    assert not VoucherOrder.objects.exists()


def test_without_redis_nobody_buys(voucher: Voucher, alice: User, redis_away: None) -> None:
    raw = buyers.issue_token_without_copy(alice)
    answer = Client().post(f"/api/vouchers/{voucher.pk}/buy", headers={"authorization": f"Bearer {raw}"})
    assert refusal_of(answer) == (503, "busy", "1")
