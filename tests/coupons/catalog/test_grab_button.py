"""Grabbing from the sale page: by htmx and by a plain form, accepted and refused."""

import re
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
from tests.coupons.sale_page_html import button_state, request_token_in

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def test_grabbing_answers_htmx_with_the_order(sale: FlashSale, alice: User) -> None:
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", headers=HTMX)
    html = answer.content.decode()
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    assert (answer.status_code, button_state(html)) == (200, "got")
    assert f"/orders/{order_id}/" in html
    assert "<html" not in html


def test_without_javascript_grabbing_leads_to_the_order(sale: FlashSale, alice: User) -> None:
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    assert (answer.status_code, answer["Location"]) == (302, f"/orders/{order_id}/")


def test_a_double_click_is_one_request(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=2)
    browser = buyers.browser_client(alice)
    form = {"request_token": request_token_in(browser.get(f"/vouchers/{sale.pk}/").content.decode())}
    answers = [browser.post(f"/vouchers/{sale.pk}/grab/", form)["Location"] for _ in range(3)]
    assert len(set(answers)) == 1
    assert seckill.read_stock(sale.pk) == 1


@pytest.mark.parametrize(
    ("refused", "status", "shown"),
    [
        ("not_started", 409, "soon"),
        ("ended", 409, "ended"),
        ("sold_out", 409, "sold_out"),
        ("already_bought", 409, "have"),
        ("too_many_requests", 429, "retry"),
        ("not_ready", 503, "retry"),
        ("busy", 503, "retry"),
    ],
)
def test_a_refusal_becomes_the_buttons_next_state(
    make_sale: MakeSale, alice: User, bob: User, settings: Any, refused: str, status: int, shown: str
) -> None:
    sale = prepared(refused, make_sale, alice=alice, bob=bob, settings=settings)
    form = {"request_token": "mine"}
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", form, headers=HTMX)
    html = answer.content.decode()
    assert (answer.status_code, button_state(html)) == (status, shown)
    assert ("Retry-After" in answer) == (shown == "retry")
    if shown == "retry":
        assert f'data-retry-after="{answer["Retry-After"]}"' in html
        assert request_token_in(html) == "mine"
    plain = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", form, follow=True)
    assert plain.status_code == 200
    assert plain.redirect_chain[0][0].startswith("/orders/" if shown == "have" else f"/vouchers/{sale.pk}/")


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
    answer = browser.post(f"/vouchers/{sale.pk}/grab/", headers=HTMX)
    assert (answer.status_code, button_state(answer.content.decode())) == (503, "retry")


def test_a_visitor_who_grabs_is_sent_to_the_log_in_and_back(sale: FlashSale) -> None:
    here = {"HX-Current-URL": f"http://testserver/vouchers/{sale.pk}/"}
    by_htmx = Client().post(f"/vouchers/{sale.pk}/grab/", headers=HTMX | here)
    assert by_htmx["HX-Redirect"] == f"/login/?next=%2Fvouchers%2F{sale.pk}%2F"
    plain = Client().post(f"/vouchers/{sale.pk}/grab/", headers={"Referer": here["HX-Current-URL"]})
    assert plain["Location"] == f"/login/?next=%2Fvouchers%2F{sale.pk}%2F"


@pytest.mark.parametrize("token", ["a b", "x" * 65, "１", "\x00"])
def test_a_token_of_other_characters_is_refused(sale: FlashSale, alice: User, token: str) -> None:
    answer = buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", {"request_token": token})
    assert answer.status_code == 400
    assert seckill.read_stock(sale.pk) == 10


@pytest.mark.parametrize("verb", ["grab", "buy"])
def test_a_form_without_its_csrf_token_buys_nothing(sale: FlashSale, alice: User, verb: str) -> None:
    answer = buyers.browser_client(alice, csrf=True).post(f"/vouchers/{sale.pk}/{verb}/")
    assert answer.status_code == 403
    assert seckill.read_stock(sale.pk) == 10


def test_the_pages_own_form_is_taken(sale: FlashSale, alice: User) -> None:
    browser = buyers.browser_client(alice, csrf=True)
    html = browser.get(f"/vouchers/{sale.pk}/").content.decode()
    fields = dict(re.findall(r'name="(csrfmiddlewaretoken|request_token)" value="([^"]+)"', html))
    assert browser.post(f"/vouchers/{sale.pk}/grab/", fields).status_code == 302
    assert seckill.read_stock(sale.pk) == 9


@pytest.mark.parametrize("verb", ["grab", "buy"])
def test_looking_buys_nothing(sale: FlashSale, alice: User, verb: str) -> None:
    assert buyers.browser_client(alice).get(f"/vouchers/{sale.pk}/{verb}/").status_code == 405


def test_fields_of_a_form_change_nothing(sale: FlashSale, alice: User, bob: User) -> None:
    form = {"user_id": bob.pk, "user": bob.pk, "price": 1, "status": "paid"}
    buyers.browser_client(alice).post(f"/vouchers/{sale.pk}/grab/", form)
    assert seckill.find_order_id(sale.pk, user_id=bob.pk) is None
    assert seckill.find_order_id(sale.pk, user_id=alice.pk)
