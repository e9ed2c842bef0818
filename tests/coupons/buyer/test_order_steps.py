"""The steps and the facts on an order's page, which go with its state."""

import re

import pytest

from apps.accounts.models import User
from apps.coupons.models import FlashSale, Status
from apps.coupons.orders import lifecycle
from tests.coupons import buyers
from tests.coupons.buyer.test_order_pages import fetch_page, set_status

pytestmark = pytest.mark.django_db

STEPS = {
    Status.UNPAID: [("Ordered", "data-done"), ("To pay", 'aria-current="step"'), ("To use", "")],
    Status.PAID: [("Ordered", "data-done"), ("Paid", "data-done"), ("To use", 'aria-current="step"')],
    Status.USED: [("Ordered", "data-done"), ("Paid", "data-done"), ("Used", "data-done")],
}


@pytest.mark.parametrize("status", STEPS)
def test_the_steps_say_what_is_done_and_what_comes_next(sale: FlashSale, alice: User, status: Status) -> None:
    order = buyers.create_order(sale, alice)
    set_status(order, status)
    html = fetch_page(f"/orders/{order.pk}/", alice)
    steps = re.search(r'<ol class="steps">(.*?)</ol>', html, re.DOTALL)
    assert steps
    found = re.findall(r"<li\s*([^>]*?)\s*>\s*([\w ]+?)\s*</li>", steps[1])
    assert [(word, mark) for mark, word in found] == STEPS[status]


def test_what_moves_on_brings_the_facts_along(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    lifecycle.cancel(order)
    html = fetch_page(f"/orders/{order.pk}/state/?shown=unpaid", alice)
    assert re.search(r'<div[^>]*id="order-facts"[^>]*hx-swap-oob="true"', html)
    for page in (html, fetch_page(f"/orders/{order.pk}/", alice)):
        assert re.search(r"<dt>Cancelled</dt>\s*<dd>\s*<time", page)
