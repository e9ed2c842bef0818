"""Grabbing by the sale page's plain form, accepted and refused."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons import limits
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale
from apps.redis_kit import limiter
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db


def test_grabbing_leads_to_the_order(sale: FlashSale, alice: User) -> None:
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    assert (answer.status_code, answer["Location"]) == (303, f"/orders/{order_id}/")


def test_a_form_sent_twice_is_one_order(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=2)
    browser = buyers.browser_client(alice)
    answers = [browser.post(f"/vouchers/{sale.pk}/grab/")["Location"] for _ in range(3)]
    assert len(set(answers)) == 1
    assert seckill.read_stock(sale.pk) == 1


@pytest.mark.parametrize(
    "refused",
    ["not_started", "ended", "sold_out", "already_bought", "too_many_requests", "not_ready", "busy"],
)
def test_a_refusal_leads_back_to_the_page_that_says_why(
    make_sale: MakeSale, alice: User, bob: User, settings: Any, refused: str
) -> None:
    sale = prepared(refused, make_sale, alice=alice, bob=bob, settings=settings)
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/")
    assert answer.status_code == 303
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    had = refused == "already_bought"
    assert answer["Location"] == (f"/orders/{order_id}/" if had else f"/vouchers/{sale.pk}/?reason={refused}")


def prepared(refused: str, make_sale: MakeSale, *, alice: User, bob: User, settings: Any) -> FlashSale:
    """A sale that refuses Alice in that way."""
    begins = {"not_started": 60.0, "ended": -7_200.0}.get(refused, -60.0)
    sale = make_sale(units=1, begins_in=begins, loaded=refused != "not_ready")
    buyers.block_loading(sale.pk)
    if refused == "sold_out":
        buyers.queue_order(sale, bob)
    if refused == "already_bought":
        buyers.queue_order(sale, alice)
    if refused == "too_many_requests":
        limiter.hit([(limits.CLAIM_LIMIT, alice.pk)], cost=limits.CLAIM_LIMIT.allowed)
    if refused == "busy":
        settings.SALE_IN_FLIGHT_LIMIT = 0
    return sale


def test_without_redis_a_grab_may_be_tried_again(sale: FlashSale, alice: User, redis_away_now: Any) -> None:
    browser = buyers.browser_client(alice)
    redis_away_now()
    answer = browser.post(f"/vouchers/{sale.pk}/grab/")
    assert answer["Location"].startswith(f"/vouchers/{sale.pk}/?reason=")


def test_a_visitor_who_grabs_is_sent_to_the_log_in_and_back(sale: FlashSale) -> None:
    here = {"Referer": f"http://testserver/vouchers/{sale.pk}/"}
    plain = Client().post(f"/vouchers/{sale.pk}/grab/", headers=here)
    assert plain["Location"] == f"/login/?next=%2Fvouchers%2F{sale.pk}%2F"


@pytest.mark.parametrize("token", ["a b", "x" * 65, "１", "\x00"])
def test_a_token_of_other_characters_is_refused(sale: FlashSale, alice: User, token: str) -> None:
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", {"request_token": token})
    assert (answer.status_code, answer["Location"]) == (303, f"/vouchers/{sale.pk}/?reason=invalid")
    assert seckill.read_stock(sale.pk) == 10


@pytest.mark.parametrize("verb", ["grab", "buy"])
def test_looking_buys_nothing(sale: FlashSale, alice: User, verb: str) -> None:
    assert buyers.browser_client(alice).get(f"/vouchers/{sale.pk}/{verb}/").status_code == 405


def test_fields_of_a_form_change_nothing(sale: FlashSale, alice: User, bob: User) -> None:
    form = {"user_id": bob.pk, "user": bob.pk, "price": 1, "status": "paid"}
    buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", form)
    assert seckill.find_order_id(sale.pk, user_id=bob.pk) is None
    assert seckill.find_order_id(sale.pk, user_id=alice.pk)
