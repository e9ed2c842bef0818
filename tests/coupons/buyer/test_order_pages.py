"""My orders and one order, live from queued to used; nobody else's."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.adminkit import qr_codes
from apps.coupons import keys
from apps.coupons.claims import entries
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import dead_letters, lifecycle
from apps.redis_kit import client
from apps.saves.models import Save
from apps.shops import money
from apps.shops.models import Shop
from tests import markup
from tests.coupons import buyers
from tests.factories import VoucherFactory

pytestmark = pytest.mark.django_db

STEPS = {
    Status.UNPAID: [("Ordered", "data-done"), ("To pay", 'aria-current="step"'), ("To use", "")],
    Status.PAID: [("Ordered", "data-done"), ("Paid", "data-done"), ("To use", 'aria-current="step"')],
    Status.USED: [("Ordered", "data-done"), ("Paid", "data-done"), ("Used", "data-done")],
}


def fetch_page(path: str, user: User) -> str:
    answer = buyers.browser_client(user).get(path)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    return answer.content.decode()


def displayed_state(html: str) -> str:
    found = re.search(r'id="order-state"[^>]*data-order-state="(\w+)"', html)
    assert found, html
    return found[1]


def poll_interval(html: str) -> str | None:
    found = re.search(r'id="order-state"[^>]*hx-trigger="(every \ds)', html)
    return found[1] if found else None


def set_status(order: VoucherOrder, status: Status) -> None:
    """Put an order where the test wants it, along the graph or not."""
    VoucherOrder.objects.filter(pk=order.pk).update(status=status)


def test_a_queued_order_asks_every_second(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    html = fetch_page(f"/orders/{order_id}/", alice)
    assert (displayed_state(html), poll_interval(html)) == ("queued", "every 1s")
    still = buyers.browser_client(alice).get(f"/orders/{order_id}/state/?shown=queued")
    assert (still.status_code, still.content) == (204, b"")


def test_it_moves_to_unpaid_without_a_new_page(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    buyers.record_order(sale, order_id)
    html = fetch_page(f"/orders/{order_id}/state/?shown=queued", alice)
    assert (displayed_state(html), poll_interval(html)) == ("unpaid", "every 5s")
    assert "<html" not in html
    assert "data-countdown" in html
    assert f'action="/orders/{order_id}/pay/"' in html
    # The page that was opened while it was queued holds the dialog that this part opens.
    assert 'data-dialog-open="cancel-order"' in html
    assert buyers.browser_client(alice).get(f"/orders/{order_id}/state/?shown=unpaid").status_code == 204


def test_a_paid_order_shows_its_code_and_is_not_paid_again(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    browser = buyers.browser_client(alice)
    assert order.redeem_code not in fetch_page(f"/orders/{order.pk}/", alice)
    lifecycle.mark_paid(order)
    answer = browser.post(f"/orders/{order.pk}/pay/")
    assert (answer.status_code, answer["Location"]) == (302, f"/orders/{order.pk}/")
    html = browser.get(f"/orders/{order.pk}/").content.decode()
    # It is redeemed while the guest still has the page open.
    assert (displayed_state(html), poll_interval(html)) == ("paid", "every 5s")
    assert order.redeem_code in html
    assert "The order is paid already." in html


def test_the_redeem_code_is_a_drawing_without_inline_style(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    lifecycle.mark_paid(order)
    html = fetch_page(f"/orders/{order.pk}/", alice)
    drawn = re.search(r'<div class="qr__code"[^>]*>(.*?)</div>', html)
    assert drawn
    link = f"http://testserver/redeem/?code={order.redeem_code}"
    assert drawn[1] == qr_codes.render_svg(link), "the shop's phone opens the page that redeems it"
    assert "style" not in drawn[1]


def test_past_its_deadline_an_order_can_not_be_paid(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    html = fetch_page(f"/orders/{order.pk}/", alice)
    assert (displayed_state(html), poll_interval(html), "/pay/" in html) == ("overdue", "every 5s", False)
    followed = buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/", follow=True)
    assert "The time to pay is over." in followed.content.decode()
    order.refresh_from_db()
    assert order.status == Status.UNPAID


def test_cancelling_asks_first_and_then_gives_the_unit_back(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    browser = buyers.browser_client(alice)
    asked = browser.get(f"/orders/{order.pk}/cancel/")
    order.refresh_from_db()
    assert (asked.status_code, order.status) == (200, Status.UNPAID)
    assert browser.post(f"/orders/{order.pk}/cancel/")["Location"] == f"/orders/{order.pk}/"
    html = browser.get(f"/orders/{order.pk}/").content.decode()
    assert (displayed_state(html), poll_interval(html)) == ("cancelled", None)
    assert f'href="/vouchers/{sale.pk}/"' in html
    sale.refresh_from_db()
    assert sale.stock_left == 10


def test_a_refund_asks_first_and_then_gives_the_unit_back(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    lifecycle.mark_paid(order)
    browser = buyers.browser_client(alice)
    assert 'data-dialog-open="refund-order"' in fetch_page(f"/orders/{order.pk}/", alice)
    asked = browser.get(f"/orders/{order.pk}/refund/")
    order.refresh_from_db()
    assert (asked.status_code, order.status) == (200, Status.PAID)
    for _ in range(2):
        assert browser.post(f"/orders/{order.pk}/refund/")["Location"] == f"/orders/{order.pk}/"
    html = browser.get(f"/orders/{order.pk}/").content.decode()
    assert (displayed_state(html), poll_interval(html), order.redeem_code in html) == (
        "refunded",
        None,
        False,
    )
    assert "You got ¥49 back." in html
    sale.refresh_from_db()
    assert sale.stock_left == 10
    assert f"/orders/{order.pk}/" in fetch_page("/orders/?status=refunded", alice)
    assert f"/orders/{order.pk}/" not in fetch_page("/orders/?status=cancelled", alice)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.USED, "Already used"),
        (Status.REFUNDED, "This order was refunded"),
        (Status.CANCELLED, "This order is cancelled"),
    ],
)
def test_an_order_at_its_end_asks_no_more(sale: FlashSale, alice: User, status: Status, words: str) -> None:
    order = buyers.create_order(sale, alice)
    set_status(order, status)
    html = fetch_page(f"/orders/{order.pk}/", alice)
    assert (displayed_state(html), poll_interval(html)) == (status, None)
    assert words in html
    assert (order.redeem_code in html) == (status == Status.USED)
    assert "This order can't be cancelled" in fetch_page(f"/orders/{order.pk}/cancel/", alice)
    assert "This order can't be refunded" in fetch_page(f"/orders/{order.pk}/refund/", alice)


def test_an_order_that_could_not_be_recorded_says_so(sale: FlashSale, alice: User, bob: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    held = keys.for_sale(sale.pk)
    for entry, fields in list(entries.iter_raw_entries(held.orders)):
        dead_letters.record_failure(held.orders, entry, fields, reason="planted", deliveries=5)
    client.get().delete(held.orders, held.queued)
    html = fetch_page(f"/orders/{order_id}/", alice)
    assert (displayed_state(html), poll_interval(html)) == ("cancelled", None)
    assert "Nothing was charged" in html
    assert "planted" not in html
    assert buyers.browser_client(bob).get(f"/orders/{order_id}/").status_code == 404


@pytest.mark.parametrize("kind", ["queued", "unpaid", "paid"])
@pytest.mark.parametrize(
    ("method", "part"),
    [
        ("get", ""),
        ("get", "state/"),
        ("get", "cancel/"),
        ("get", "refund/"),
        ("post", "pay/"),
        ("post", "cancel/"),
        ("post", "refund/"),
    ],
)
def test_others_orders_have_no_page(
    sale: FlashSale, alice: User, bob: User, charlie: User, kind: str, method: str, part: str
) -> None:
    order_id = buyers.queue_order(sale, alice)
    if kind != "queued":
        order = buyers.record_order(sale, order_id)
        set_status(order, Status(kind))
    before = list(VoucherOrder.objects.values())
    for stranger in (bob, charlie):
        answer = getattr(buyers.browser_client(stranger), method)(f"/orders/{order_id}/{part}")
        assert answer.status_code == 404
    assert list(VoucherOrder.objects.values()) == before


@pytest.mark.parametrize("path", ["/orders/", "/orders/1/", "/orders/1/state/", "/orders/1/refund/"])
def test_a_visitor_logs_in_first(path: str, db: None) -> None:
    answer = Client().get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/?next=%2Forders%2F")


def test_looking_pays_nothing(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    assert buyers.browser_client(alice).get(f"/orders/{order.pk}/pay/").status_code == 405


@pytest.mark.usefixtures("sandbox")
def test_fields_of_a_form_change_nothing(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    form = {"status": "used", "price": 0, "user": 1, "pay_deadline": "2099-01-01", "redeem_code": "mine"}
    buyers.browser_client(alice).post(f"/orders/{order.pk}/pay/", form)
    after = VoucherOrder.objects.get()
    assert (after.status, after.price, after.user_id) == (Status.UNPAID, 4_900, alice.pk)
    assert (after.redeem_code, after.pay_deadline) == (order.redeem_code, order.pay_deadline)


# -- the list -----------------------------------------------------------------------------------


def make_orders(user: User, shop: Shop, count: int) -> list[VoucherOrder]:
    made = []
    for number in range(count):
        voucher = VoucherFactory.create(shop=shop, title_en=f"Voucher no. {number};")
        made.append(lifecycle.create_order(voucher, user=user, request_token="t"))
    return made


@pytest.mark.both_databases
def test_without_orders_the_list_shows_a_way_on(alice: User) -> None:
    html = fetch_page("/orders/", alice)
    assert "No orders yet" in html
    assert 'href="/sales/"' in html
    assert "Nothing here" in fetch_page("/orders/?status=paid", alice)


def test_the_list_shows_ones_own_by_status(shop: Shop, alice: User, bob: User) -> None:
    paid, unpaid = make_orders(alice, shop, 2)
    (stranger,) = make_orders(bob, shop, 1)
    lifecycle.mark_paid(paid)
    everything, only_paid = fetch_page("/orders/", alice), fetch_page("/orders/?status=paid", alice)
    assert f"/orders/{paid.pk}/" in everything
    assert f"/orders/{unpaid.pk}/" in everything
    assert f"/orders/{stranger.pk}/" not in everything
    assert f"/orders/{paid.pk}/" in only_paid
    assert f"/orders/{unpaid.pk}/" not in only_paid
    assert fetch_page("/orders/?status=<script>", alice).count('class="card order-card"') == 2


def test_the_list_goes_on_below(shop: Shop, alice: User) -> None:
    make_orders(alice, shop, 25)
    first = fetch_page("/orders/", alice)
    assert first.count("order-card") == 20
    following = re.search(r'hx-get="(\?status=&amp;cursor=[^"]+)"', first)
    assert following
    path = "/orders/" + following[1].replace("&amp;", "&")
    answer = buyers.browser_client(alice).get(path, headers={"HX-Request": "true"})
    rest = answer.content.decode()
    assert (rest.count("order-card"), "<html" in rest) == (5, False)
    assert fetch_page(path, alice).count("order-card") == 5


def buy_several(voucher: Voucher, user: User, count: int) -> list[VoucherOrder]:
    Voucher.objects.filter(pk=voucher.pk).update(per_person=20)
    voucher.refresh_from_db()
    return lifecycle.create_orders(voucher, user=user, request_token=uuid4().hex, count=count)


def test_coupons_bought_together_are_one_card(voucher: Voucher, alice: User) -> None:
    first, second, third = buy_several(voucher, alice, 3)
    html = fetch_page("/orders/", alice)
    assert (html.count('order-card"'), html.count("<details")) == (1, 1)
    assert "3 coupons" in html
    assert money.format_amount(3 * first.price, first.currency) in html
    for order in (first, second, third):
        assert f"/orders/{order.pk}/" in html
    lifecycle.mark_paid(first)
    html = fetch_page("/orders/", alice)
    assert html.count('order-card"') == 1
    assert re.findall(r"(To use|To pay) · (\d)", html) == [("To pay", "2"), ("To use", "1")]
    # Alone among those to use, it leads to its page at once.
    assert "<details" not in fetch_page("/orders/?status=paid", alice)


def test_my_page_counts_what_the_lists_behind_it_show(shop: Shop, alice: User) -> None:
    to_pay, to_use, *refunded = make_orders(alice, shop, 4)
    lifecycle.mark_paid(to_use)
    for order in refunded:
        lifecycle.mark_paid(order)
        order.refresh_from_db()
        lifecycle.mark_refunded(order)
    Save.objects.create(user=alice, shop=shop)
    page = markup.compact(buyers.browser_client(alice).get("/me/").content)
    tiles = re.findall(r'<a href="([^"]+)"><svg.*?</svg><strong>(\d+)</strong><span>([^<]+)</span>', page)
    assert tiles == [
        ("/orders/?status=unpaid", "1", "To pay"),
        ("/orders/?status=paid", "1", "To use"),
        ("/orders/?status=refunded", "2", "Refunds"),
        ("/me/saves/", "1", "Saved"),
    ]
    assert alice.phone not in page


def test_a_page_of_the_list_cuts_no_purchase(voucher: Voucher, shop: Shop, alice: User) -> None:
    bought = buy_several(voucher, alice, 4)
    make_orders(alice, shop, 18)
    html = fetch_page("/orders/", alice)
    assert html.count('order-card"') == 19
    assert all(f"/orders/{order.pk}/" in html for order in bought)
    assert "cursor=" not in html


def test_an_expired_coupon_is_called_so_in_the_list(shop: Shop, alice: User) -> None:
    (order,) = make_orders(alice, shop, 1)
    lifecycle.mark_paid(order)
    assert "To use" in fetch_page("/orders/?status=paid", alice).partition("order-list")[2]
    VoucherOrder.objects.update(valid_until=timezone.now() - timedelta(minutes=1))
    listed = fetch_page("/orders/?status=paid", alice).partition("order-list")[2]
    assert "Expired" in listed
    assert "To use" not in listed


@pytest.mark.parametrize(("cursor", "status"), [("forged", 422), ("%00", 400), ("x" * 2000, 422)])
def test_a_forged_cursor_is_no_page(alice: User, cursor: str, status: int) -> None:
    assert buyers.browser_client(alice).get(f"/orders/?cursor={cursor}").status_code == status


def test_twenty_orders_cost_as_many_queries_as_ten(shop: Shop, alice: User, bob: User) -> None:
    make_orders(alice, shop, 10)
    make_orders(bob, shop, 20)
    costs = []
    for user in (alice, bob):
        browser = buyers.browser_client(user)
        with CaptureQueriesContext(connection) as caught:
            assert browser.get("/orders/").content.decode().count("order-card") in {10, 20}
        costs.append(len(caught))
    # Log-in, orders, their number in each tab, and what is unread.
    assert costs[0] == costs[1] <= 4


@pytest.mark.both_databases
def test_without_redis_the_orders_are_there(sale: FlashSale, alice: User, redis_away_now: Any) -> None:
    order = buyers.create_order(sale, alice)
    browser = buyers.browser_client(alice)
    redis_away_now()
    assert f"/orders/{order.pk}/" in browser.get("/orders/").content.decode()
    assert displayed_state(browser.get(f"/orders/{order.pk}/").content.decode()) == "unpaid"
    assert browser.get("/orders/7/").status_code == 503


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
