"""Orders and a shop's offers in the JSON API."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.coupons.orders import dead_letters, lifecycle
from apps.coupons.payments import refunds
from apps.redis_kit import client
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import VoucherFactory

pytestmark = pytest.mark.django_db


def get_json(path: str, user: User) -> dict[str, Any]:
    answer = buyers.api_client(user).get(path)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def create_dead_letter(sale: FlashSale) -> None:
    held = keys.for_sale(sale.pk)
    for entry, fields in list(entries.iter_raw_entries(held.orders)):
        dead_letters.record_failure(held.orders, entry, fields, reason="planted", deliveries=5)
    client.get().delete(held.orders, held.queued)


def test_an_order_moves_from_queued_to_paid(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    before = get_json(f"/api/orders/{order_id}", alice)
    assert (before["id"], before["status"]) == (str(order_id), "queued")
    assert (before["pay_deadline"], before["redeem_code"]) == (None, None)
    assert before["voucher"]["id"] == sale.pk
    assert before["shop"]["name"] == "Lakeside Noodle House"
    assert (before["price"], before["currency"]) == (4_900, "CNY")

    row = buyers.record_order(sale, order_id)
    unpaid = get_json(f"/api/orders/{order_id}", alice)
    assert (unpaid["status"], unpaid["redeem_code"]) == ("unpaid", None)
    assert unpaid["accepted_at"] == before["accepted_at"]
    assert unpaid["pay_deadline"] is not None

    lifecycle.mark_paid(row)
    paid = get_json(f"/api/orders/{order_id}", alice)
    assert (paid["status"], paid["redeem_code"]) == ("paid", row.redeem_code)


def test_a_cancelled_order_keeps_its_code_to_itself(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    cancelled = buyers.api_client(alice).post(f"/api/orders/{order.pk}/cancel").json()
    assert (cancelled["status"], cancelled["redeem_code"], cancelled["reason"]) == ("cancelled", None, "")
    assert cancelled["cancelled_at"] is not None


def test_a_refunded_order_says_when_and_shows_no_code(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    lifecycle.mark_paid(order)
    refunded = buyers.api_client(alice).post(f"/api/orders/{order.pk}/refund").json()
    assert (refunded["status"], refunded["redeem_code"]) == ("refunded", None)
    assert refunded["refunded_at"] is not None
    assert get_json("/api/orders?status=refunded", alice)["items"] == [refunded]
    assert get_json("/api/orders?status=cancelled", alice)["items"] == []
    assert get_json("/api/orders?status=paid", alice)["items"] == []


def test_what_is_not_paid_has_nothing_to_refund(sale: FlashSale, alice: User) -> None:
    answer = buyers.api_client(alice).post(f"/api/orders/{buyers.create_order(sale, alice).pk}/refund")
    assert (answer.status_code, answer.json()["order_status"]) == (409, "unpaid")
    assert answer.json()["detail"] == "The order is not paid, so there is nothing to refund."


@pytest.mark.parametrize(
    ("done", "asked", "stands"),
    [
        ([lifecycle.mark_paid], "pay", "paid"),
        ([lifecycle.mark_paid], "cancel", "paid"),
        ([lifecycle.cancel], "pay", "cancelled"),
        ([lifecycle.cancel], "cancel", "cancelled"),
        ([lifecycle.cancel], "refund", "cancelled"),
        ([lifecycle.mark_paid, refunds.refund_order], "pay", "refunded"),
        ([lifecycle.mark_paid, refunds.refund_order], "cancel", "refunded"),
        ([lifecycle.mark_paid, refunds.refund_order], "refund", "refunded"),
    ],
)
def test_a_step_off_the_graph_says_where_the_order_stands(
    sale: FlashSale, alice: User, done: Any, asked: str, stands: str
) -> None:
    order = buyers.create_order(sale, alice)
    for step in done:
        step(order)
    answer = buyers.api_client(alice).post(f"/api/orders/{order.pk}/{asked}")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_possible")
    assert answer.json()["order_status"] == stands


def test_past_its_deadline_an_order_is_not_paid(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    VoucherOrder.objects.filter(pk=order.pk).update(pay_deadline=timezone.now() - timedelta(seconds=1))
    answer = buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["order_status"]) == (409, "unpaid")
    assert answer.json()["detail"] == "The time to pay is over."


def test_a_queued_order_waits_for_its_row(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    answer = buyers.api_client(alice).post(f"/api/orders/{order_id}/refund")
    assert (answer.status_code, answer.json()["order_status"]) == (409, "queued")


@pytest.mark.both_databases
def test_an_order_that_could_not_be_recorded_is_cancelled_with_a_reason(
    sale: FlashSale, alice: User, bob: User
) -> None:
    order_id = buyers.queue_order(sale, alice)
    create_dead_letter(sale)
    shown = get_json(f"/api/orders/{order_id}", alice)
    assert (shown["status"], shown["id"]) == ("cancelled", str(order_id))
    assert "Nothing was charged" in shown["reason"]
    assert "planted" not in str(shown)
    assert buyers.api_client(bob).get(f"/api/orders/{order_id}").status_code == 404


@pytest.mark.parametrize("kind", ["queued", "recorded", "paid", "set aside"])
@pytest.mark.parametrize(
    ("method", "verb"), [("get", ""), ("post", "/pay"), ("post", "/cancel"), ("post", "/refund")]
)
def test_others_orders_are_not_found(
    sale: FlashSale, alice: User, bob: User, charlie: User, kind: str, method: str, verb: str
) -> None:
    order_id = buyers.queue_order(sale, alice)
    if kind == "set aside":
        create_dead_letter(sale)
    if kind in {"recorded", "paid"}:
        order = buyers.record_order(sale, order_id)
        if kind == "paid":
            lifecycle.mark_paid(order)
    before = list(VoucherOrder.objects.values())
    for stranger in (bob, charlie):
        answer = getattr(buyers.api_client(stranger), method)(f"/api/orders/{order_id}{verb}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert list(VoucherOrder.objects.values()) == before


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", "orders"), ("get", "orders/1"), ("post", "orders/1/pay"), ("post", "orders/1/cancel")],
)
def test_nobody_sees_or_moves_orders(method: str, path: str, db: None) -> None:
    answer = getattr(Client(), method)(f"/api/{path}")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_logged_in")


@pytest.mark.parametrize("number", ["0", str(2**63), "1_000", "１"])
@pytest.mark.parametrize(
    ("method", "verb"), [("get", ""), ("post", "/pay"), ("post", "/cancel"), ("post", "/refund")]
)
def test_what_is_no_order_id_is_refused(alice: User, number: str, method: str, verb: str) -> None:
    answer = getattr(buyers.api_client(alice), method)(f"/api/orders/{number}{verb}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.both_databases
def test_the_largest_id_is_nobodys_order(alice: User) -> None:
    assert buyers.api_client(alice).get(f"/api/orders/{2**63 - 1}").status_code == 404


def test_members_of_a_body_pay_for_nothing(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    wanted = {"status": "used", "price": 0, "user_id": 1, "redeem_code": "mine", "pay_deadline": "2099-01-01"}
    buyers.api_client(alice).post(f"/api/orders/{order.pk}/cancel", wanted, content_type="application/json")
    after = VoucherOrder.objects.get()
    assert (after.status, after.price, after.redeem_code) == ("cancelled", 4_900, order.redeem_code)


def test_without_redis_a_recorded_order_is_shown_and_an_unknown_one_is_busy(
    sale: FlashSale, alice: User, redis_away_now: Any
) -> None:
    order = buyers.create_order(sale, alice)
    headers = {"authorization": f"Bearer {buyers.issue_token_without_copy(alice)}"}
    redis_away_now()
    assert Client().get(f"/api/orders/{order.pk}", headers=headers).json()["status"] == "unpaid"
    assert len(Client().get("/api/orders", headers=headers).json()["items"]) == 1
    lost = Client().get("/api/orders/7", headers=headers)
    assert (lost.status_code, lost.json()["code"]) == (503, "busy")


def make_orders(user: User, shop: Shop, count: int) -> list[int]:
    """Recorded orders of ordinary vouchers; their ids, the newest first."""
    made = []
    for voucher in VoucherFactory.bulk_create(count, shop=shop):
        made.append(lifecycle.create_order(voucher, user=user, request_token="t").pk)
    return sorted(made, reverse=True)


@pytest.mark.both_databases
def test_orders_come_by_page_the_newest_first(shop: Shop, alice: User, bob: User) -> None:
    mine = make_orders(alice, shop, 25)
    make_orders(bob, shop, 3)
    first = get_json("/api/orders", alice)
    assert len(first["items"]) == 20
    second = get_json(f"/api/orders?cursor={first['next']}", alice)
    assert [int(order["id"]) for order in first["items"] + second["items"]] == mine
    assert second["next"] is None


def test_orders_are_told_apart_by_status(shop: Shop, alice: User) -> None:
    paid, cancelled, unpaid = make_orders(alice, shop, 3)
    lifecycle.mark_paid(VoucherOrder.objects.get(pk=paid))
    lifecycle.cancel(VoucherOrder.objects.get(pk=cancelled))
    for status, number in (("paid", paid), ("cancelled", cancelled), ("unpaid", unpaid)):
        found = get_json(f"/api/orders?status={status}", alice)["items"]
        assert [int(order["id"]) for order in found] == [number]
    assert get_json("/api/orders?status=used", alice)["items"] == []
    assert buyers.api_client(alice).get("/api/orders?status=everything").status_code == 422


@pytest.mark.parametrize("cursor", ["forged", "1", "%00", "x" * 2000, "WzFd:1u:abc"])
def test_a_forged_cursor_is_refused(alice: User, cursor: str) -> None:
    answer = buyers.api_client(alice).get(f"/api/orders?cursor={cursor}")
    assert answer.status_code in {400, 422}


def count_queries(path: str, user: User) -> int:
    program = buyers.api_client(user)
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert program.get(path).status_code == 200
    return len(caught)


def test_twenty_orders_cost_as_many_queries_as_ten(shop: Shop, alice: User, bob: User) -> None:
    make_orders(alice, shop, 10)
    make_orders(bob, shop, 20)
    assert count_queries("/api/orders", alice) == count_queries("/api/orders", bob) <= 3


def test_a_shops_offers_are_in_the_language_of_the_request_and_in_both_if_asked(voucher: Voucher) -> None:
    Voucher.objects.update(title_zh="双人面", rules_zh="每人一份")
    path, chinese = f"/api/shops/{voucher.shop_id}/vouchers", {"accept-language": "zh-CN"}
    (plain,) = Client().get(path, headers=chinese).json()["items"]
    assert (plain["title"], plain["rules"], "texts" in plain) == ("双人面", "每人一份", False)
    (both,) = Client().get(path, {"all_languages": "1"}, headers=chinese).json()["items"]
    assert both == plain | {
        "texts": {
            "en": {"title": "Noodles for two", "subtitle": "", "rules": ""},
            "zh-hans": {"title": "双人面", "subtitle": "", "rules": "每人一份"},
        }
    }


def test_an_orders_voucher_and_shop_are_in_both_languages_if_asked(shop: Shop, alice: User) -> None:
    (order_id,) = make_orders(alice, shop, 1)
    Shop.objects.update(name_zh="湖边面馆")
    (listed,) = get_json("/api/orders?all_languages=1", alice)["items"]
    assert listed == get_json(f"/api/orders/{order_id}?all_languages=1", alice)
    assert listed["voucher"].pop("texts")["en"] == {"title": "Noodles for two", "subtitle": "", "rules": ""}
    assert listed["shop"].pop("texts")["zh-hans"] == {"name": "湖边面馆", "address": ""}
    assert listed == get_json(f"/api/orders/{order_id}", alice)


def test_a_shops_offers_carry_the_units_that_redis_counts(
    make_sale: MakeSale, voucher: Voucher, alice: User
) -> None:
    running, later, over = make_sale(units=3), make_sale(begins_in=60), make_sale(ended=True)
    buyers.queue_order(running, alice)
    found = Client().get(f"/api/shops/{voucher.shop_id}/vouchers").json()
    shown = {one["id"]: one["sale"] for one in found["items"]}
    assert shown[voucher.pk] is None
    assert (shown[running.pk]["stock_left"], shown[running.pk]["stock_total"]) == (2, 3)
    assert (shown[running.pk]["state"], shown[later.pk]["state"]) == ("running", "not_started")
    assert (over.pk in shown, found["next"]) == (False, None)


def test_a_hidden_shop_offers_nothing(voucher: Voucher) -> None:
    Shop.objects.update(is_listed=False)
    assert Client().get(f"/api/shops/{voucher.shop_id}/vouchers").status_code == 404


@pytest.mark.one_server("trips to it are counted")
def test_twenty_sales_cost_as_much_as_ten(make_sale: MakeSale, shop: Shop, round_trips: list[object]) -> None:
    costs = []
    for _ in range(2):
        for _ in range(10):
            make_sale()
        round_trips.clear()
        with CaptureQueriesContext(connection) as caught:
            Client().get(f"/api/shops/{shop.pk}/vouchers")
        costs.append((len(caught), len(round_trips)))
    assert costs == [(2, 1), (2, 1)]
