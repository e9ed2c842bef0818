"""Receipts handed in after Redis has lost what it had accepted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import lost_orders
from apps.coupons.claims import loading, order_ids, receipts, seckill
from apps.coupons.claims.receipts import Receipt
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.reconcile import reconciliation
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def claim(sale: FlashSale, user: User) -> str:
    """An accepted claim that no consumer has seen; its receipt."""
    answer = buyers.api_client(user).post(f"/api/vouchers/{sale.pk}/seckill")
    assert answer.status_code == 201
    return str(answer.json()["receipt"])


def lose_redis(server: redis.Redis, sale: FlashSale) -> None:
    """Redis comes back empty, and the sale is loaded from SQL and selling."""
    server.flushall()
    loading.load(sale.pk)


def hand_in(sale: FlashSale, user: User, receipt: object) -> Any:
    return buyers.api_client(user).post(
        f"/api/vouchers/{sale.pk}/seckill", {"receipt": receipt}, content_type="application/json"
    )


def refusal_of(answer: Any) -> tuple[int, str]:
    assert answer["Content-Type"] == "application/problem+json", answer.content
    body = answer.json()
    assert body["detail"]
    return answer.status_code, body["code"]


def test_a_lost_order_comes_back_under_its_id_once(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    receipt = claim(sale, alice)
    order_id = receipts.read_receipt(receipt).order_id
    lose_redis(guarded_redis, sale)
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) is None
    for _ in range(3):
        answer = hand_in(sale, alice, receipt)
        assert (answer.status_code, answer.json()) == (201, {"order_id": str(order_id), "receipt": receipt})
        assert seckill.read_stock(sale.pk) == 9
    order = buyers.record_order(sale, order_id)
    assert (order.user_id, order.status) == (alice.pk, Status.UNPAID)
    assert hand_in(sale, alice, receipt).json()["order_id"] == str(order_id)
    assert reconciliation.run().clean


def test_an_order_that_is_not_lost_stays_as_it_is(sale: FlashSale, alice: User) -> None:
    receipt = claim(sale, alice)
    assert hand_in(sale, alice, receipt).status_code == 201
    order = buyers.record_order(sale, receipts.read_receipt(receipt).order_id)
    assert hand_in(sale, alice, receipt).status_code == 201
    VoucherOrder.objects.filter(pk=order.pk).update(status=Status.CANCELLED)
    answer = hand_in(sale, alice, receipt)
    assert refusal_of(answer) == (409, "not_possible")
    assert answer.json()["order_status"] == "cancelled"
    order.refresh_from_db()
    assert order.status == Status.CANCELLED


def test_units_that_were_sold_meanwhile_are_not_sold_again(
    make_sale: MakeSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=1)
    receipt = claim(sale, alice)
    lose_redis(guarded_redis, sale)
    claim(sale, bob)
    answer = hand_in(sale, alice, receipt)
    assert refusal_of(answer) == (410, "order_lost")
    assert "lost with a server" in answer.json()["detail"]
    assert (seckill.read_stock(sale.pk), guarded_redis.xlen(keys.for_sale(sale.pk).orders)) == (0, 1)


def test_who_has_grabbed_again_keeps_the_new_order(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    receipt = claim(sale, alice)
    lose_redis(guarded_redis, sale)
    second = receipts.read_receipt(claim(sale, alice)).order_id
    answer = hand_in(sale, alice, receipt)
    assert refusal_of(answer) == (409, "already_bought")
    assert answer.json()["order_id"] == str(second)
    assert seckill.read_stock(sale.pk) == 9


def test_a_claim_that_was_repeated_after_the_loss_is_the_same_claim(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    first = receipts.read_receipt(claim(sale, alice))
    lose_redis(guarded_redis, sale)
    again = seckill.claim(sale.pk, user_id=alice.pk, request_token=first.request_token)
    buyers.record_order(sale, again.order_id or 0)
    answer = hand_in(sale, alice, first.text)
    assert (answer.status_code, answer.json()["order_id"]) == (201, str(again.order_id))
    assert receipts.read_receipt(answer.json()["receipt"]).order_id == again.order_id


def test_an_id_that_another_person_got_is_lost(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    receipt = receipts.read_receipt(claim(sale, alice))
    lose_redis(guarded_redis, sale)
    order = buyers.create_order(sale, bob)
    stolen = receipt._replace(order_id=order.pk)
    assert refusal_of(hand_in(sale, alice, stolen.text)) == (410, "order_lost")
    assert seckill.read_stock(sale.pk) == 9


@pytest.mark.parametrize("bent", ["", "1.2.3", "收据", "x" * 50_000, "\u0661" * 40])
def test_a_text_that_is_no_receipt_buys_nothing(sale: FlashSale, alice: User, bent: str) -> None:
    assert refusal_of(hand_in(sale, alice, bent)) == (400, "invalid_receipt")
    assert seckill.read_stock(sale.pk) == 10


def test_a_receipt_that_is_no_text_is_refused(sale: FlashSale, alice: User) -> None:
    assert refusal_of(hand_in(sale, alice, 5)) == (422, "invalid")
    assert refusal_of(hand_in(sale, alice, ["1"])) == (422, "invalid")


def test_a_receipt_is_good_for_its_person_and_voucher_alone(
    make_sale: MakeSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    sale, other = make_sale(), make_sale()
    receipt = claim(sale, alice)
    lose_redis(guarded_redis, sale)
    loading.load(other.pk)
    assert refusal_of(hand_in(sale, bob, receipt)) == (403, "not_your_receipt")
    assert refusal_of(hand_in(other, alice, receipt)) == (409, "other_voucher")
    forged = Receipt(1 << 58, bob.pk, sale.pk, 1, "t")
    assert refusal_of(hand_in(sale, bob, forged.text[:-1] + "x")) == (400, "invalid_receipt")
    assert [seckill.read_stock(one.pk) for one in (sale, other)] == [10, 10]


def test_a_receipt_is_good_after_the_sales_end_and_not_for_ever(
    make_sale: MakeSale, alice: User, guarded_redis: redis.Redis
) -> None:
    sale = make_sale()
    receipt = claim(sale, alice)
    now = timezone.now()
    begins = now - timedelta(hours=1)
    FlashSale.objects.filter(pk=sale.pk).update(begins_at=begins, ends_at=now)
    lose_redis(guarded_redis, sale)
    assert hand_in(sale, alice, receipt).status_code == 201
    assert buyers.record_order(sale, receipts.read_receipt(receipt).order_id).accepted_at < now

    FlashSale.objects.filter(pk=sale.pk).update(
        begins_at=begins - timedelta(days=8), ends_at=now - timedelta(days=8)
    )
    VoucherOrder.objects.all().delete()
    assert refusal_of(hand_in(sale, alice, receipt)) == (410, "receipt_expired")


def test_an_order_of_the_sales_first_second_comes_back(
    make_sale: MakeSale, alice: User, guarded_redis: redis.Redis
) -> None:
    """Its id names the whole second, which was before the sale began."""
    sale = make_sale()
    receipt = claim(sale, alice)
    began = receipts.read_receipt(receipt).accepted_at + timedelta(microseconds=123_456)
    FlashSale.objects.filter(pk=sale.pk).update(begins_at=began)
    lose_redis(guarded_redis, sale)
    assert hand_in(sale, alice, receipt).status_code == 201
    assert buyers.record_order(sale, receipts.read_receipt(receipt).order_id).accepted_at >= began


def test_while_the_sale_is_not_loaded_the_receipt_is_to_be_handed_in_again(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    receipt = claim(sale, alice)
    guarded_redis.flushall()
    buyers.block_loading(sale.pk)
    answer = hand_in(sale, alice, receipt)
    assert refusal_of(answer) == (503, "not_ready")
    assert answer["Retry-After"] == "1"


def test_a_receipt_of_a_withdrawn_sale_says_that_the_order_is_lost(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    receipt = claim(sale, alice)
    sale.voucher.is_offered = False
    sale.voucher.save()
    lose_redis(guarded_redis, sale)
    assert refusal_of(hand_in(sale, alice, receipt)) == (410, "order_lost")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_lost_order_says_so_and_leads_on(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis, language: str
) -> None:
    order_id = buyers.queue_order(sale, alice)
    lose_redis(guarded_redis, sale)
    words = {"en": "lost with a server", "zh-hans": "随一台服务器丢失了"}[language]
    for person in (alice, bob):
        for part in ("", "state/"):
            page = buyers.browser_client(person).get(
                f"/orders/{order_id}/{part}", headers={"accept-language": language}
            )
            html = page.content.decode()
            assert page.status_code == 410
            assert words in html
            assert f'data-lost-order="{order_id}"' in html
            assert "/sales/" in html
        answer = buyers.api_client(person).get(f"/api/orders/{order_id}")
        assert (answer.status_code, answer.json()["code"]) == (410, "order_lost")


@pytest.mark.parametrize("verb", ["pay", "cancel", "refund"])
def test_what_is_done_to_a_lost_order_says_that_it_is_lost(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis, verb: str
) -> None:
    order_id = buyers.queue_order(sale, alice)
    lose_redis(guarded_redis, sale)
    answer = buyers.api_client(alice).post(f"/api/orders/{order_id}/{verb}")
    assert (answer.status_code, answer.json()["code"]) == (410, "order_lost")
    browser = buyers.browser_client(alice)
    pages = [browser.post(f"/orders/{order_id}/{verb}/")]
    pages += [browser.get(f"/orders/{order_id}/{path}/") for path in {verb, "returned"} - {"pay"}]
    for page in pages:
        assert page.status_code == 410
        assert f'data-lost-order="{order_id}"' in page.content.decode()
    absent = buyers.api_client(alice).post(f"/api/orders/{order_id + 1}/{verb}")
    assert absent.status_code == 404


def test_an_id_that_no_lost_server_can_have_given_is_not_found(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    order_id = buyers.queue_order(sale, alice)
    lose_redis(guarded_redis, sale)
    hour, two_days = 3_600 << 32, 172_800 << 32
    for other in (order_id + 1, order_id + hour, order_id - two_days, 1, (1 << 63) - 1):
        assert buyers.browser_client(alice).get(f"/orders/{other}/").status_code == 404


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_of_many_lost_orders_as_many_come_back_as_there_are_units(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    """Thirty receipts for twenty units, each handed in twice at the same time."""
    sale = make_sale(units=20)
    people = UserFactory.bulk_create(30)
    lost = [
        Receipt(order_ids.compose(1, number, lane=keys.partition_of(sale.pk)), person.pk, sale.pk, 1, "t")
        for number, person in enumerate(people)
    ]

    def try_hand_in(receipt: Receipt) -> int:
        try:
            found = lost_orders.hand_in(receipt.text, voucher_id=sale.pk, user_id=receipt.user_id)
        except Problem:
            return 0
        finally:
            connection.close()
        return found.order_id

    with ThreadPoolExecutor(8) as pool:
        back = list(pool.map(try_hand_in, [*lost, *lost]))
    assert len({*back} - {0}) == 20
    assert seckill.read_stock(sale.pk) == 0
    buyers.drain_queue()
    assert set(VoucherOrder.objects.values_list("pk", flat=True)) == {*back} - {0}
    assert reconciliation.run().clean
