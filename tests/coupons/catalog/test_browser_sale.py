"""The sale and the order in a real browser: what moves, moves without a reload."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import APIResponse, Page, Request, Route, expect

from apps.accounts.models import User
from apps.coupons.claims import loading, seckill
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import redeem_codes
from apps.signins import clock
from apps.signins.models import Standing
from tests import chromium_pages
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.page_opening import go_to, open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def expect_state(page: Page, expected: str) -> None:
    expect(page.locator("#grab")).to_have_attribute("data-state", expected)
    assert page.evaluate("window.stayed") is True


def grab(page: Page) -> None:
    page.get_by_role("button", name="Grab it now").click()


@pytest.mark.usefixtures("line")
@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_a_coupon_is_grabbed_and_its_order_comes_alive(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User, width: int, theme: chromium_pages.Theme
) -> None:
    page = open_page(page_at(width, theme=theme), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    assert chromium_pages.horizontal_overflow(page) == 0
    grab(page)
    expect_state(page, "got")
    page.get_by_role("link", name="See the order and pay").click()
    moving = page.locator("#order-state")
    expect(moving).to_have_attribute("data-order-state", "queued")
    page.evaluate("window.stayed = true")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    assert order_id
    order = buyers.record_order(sale, order_id)
    expect(moving).to_have_attribute("data-order-state", "unpaid")
    assert page.evaluate("window.stayed") is True
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("button", name="Pay now").click()
    page.get_by_role("button", name="Pay", exact=True).click()
    expect(page.locator(".qr__text")).to_have_text(redeem_codes.spell(order.redeem_code))
    assert chromium_pages.horizontal_overflow(page) == 0


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_another_one_is_grabbed_until_there_are_enough(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User, width: int, theme: chromium_pages.Theme
) -> None:
    sale = make_sale(voucher__per_person=2)
    page = open_page(page_at(width, theme=theme), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    expect(page.locator("[data-own]")).to_be_hidden()
    grab(page)
    expect_state(page, "got")
    page.get_by_role("button", name="Grab another one").click()
    expect_state(page, "open")
    expect(page.get_by_role("link", name="Coupon 1")).to_be_visible()
    grab(page)
    expect_state(page, "got")
    expect(page.get_by_role("button", name="Grab another one")).to_be_hidden()
    numbers = [seckill.find_order_id(sale.pk, user_id=alice.pk, piece=piece) for piece in range(2)]
    links = page.locator("[data-own] a")
    expect(links).to_have_count(2)
    assert [link.get_attribute("href") for link in links.all()] == [f"/orders/{one}/" for one in numbers]
    assert chromium_pages.horizontal_overflow(page) == 0
    go_to(page, f"/vouchers/{sale.pk}/")
    expect_state(page, "have")
    expect(page.get_by_text("You have as many as one person may have")).to_be_visible()
    assert seckill.read_stock(sale.pk) == 8


def test_the_button_opens_by_itself_when_the_countdown_ends(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    # Its styles and scripts are at hand then: ten seconds are enough on a busy machine.
    page = open_page(page_at(360), alice, "/sales/")
    sale = make_sale(begins_in=10)
    go_to(page, f"/vouchers/{sale.pk}/")
    expect_state(page, "soon")
    expect(page.get_by_role("button", name="Not open yet")).to_be_disabled()
    expect_state(page, "open")
    grab(page)
    expect_state(page, "got")


def test_a_sale_that_is_being_prepared_is_tried_again_by_itself(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(loaded=False)
    buyers.block_loading(sale.pk)
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    grab(page)
    expect_state(page, "retry")
    expect(page.get_by_text("The sale is being prepared")).to_be_visible()
    loading.load(sale.pk)
    expect_state(page, "got")
    assert seckill.read_stock(sale.pk) == 9


def test_a_page_that_was_only_opened_buys_nothing(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(loaded=False)
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    loading.load(sale.pk)
    with page.expect_response(re.compile("/api/me/page")):
        pass
    assert seckill.read_stock(sale.pk) == 10


def test_what_was_asked_before_the_grab_does_not_take_it_back(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User
) -> None:
    """The personal part, asked for by the clock, is on its way while the claim is accepted."""
    page, held = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/"), list[tuple[Route, APIResponse]]()
    page.route(re.compile("/api/me/page"), lambda route: held.append((route, route.fetch())), times=1)
    while not held:
        page.wait_for_timeout(50)
    grab(page)
    expect_state(page, "got")
    route, answer = held[0]
    with page.expect_response(re.compile("/api/me/page")):
        route.fulfill(response=answer)
    expect_state(page, "got")


def sent_tokens(page: Page) -> list[str]:
    """Return a list that gets the request token of each later claim."""
    found: list[str] = []

    def hear(request: Request) -> None:
        if request.url.endswith("/seckill") and "receipt" not in (request.post_data_json or {}):
            found.append(str((request.post_data_json or {})["request_token"]))

    page.on("request", hear)
    return found


def test_a_claim_whose_answer_is_lost_is_repeated_after_a_reload(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(units=2)
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    tokens = sent_tokens(page)
    page.route(re.compile("/seckill"), lambda route: route.abort())
    grab(page)
    expect_state(page, "retry")
    page.unroute(re.compile("/seckill"))
    go_to(page, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    grab(page)
    expect_state(page, "got")
    assert len(set(tokens)) == 1
    assert seckill.read_stock(sale.pk) == 1
    go_to(page, f"/vouchers/{sale.pk}/")
    expect_state(page, "have")


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_an_unpaid_coupon_says_how_long_it_waits_for_its_payment(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User, width: int, theme: chromium_pages.Theme
) -> None:
    order = buyers.create_order(sale, alice)
    VoucherOrder.objects.update(pay_deadline=timezone.now() + timedelta(seconds=600))
    page = open_page(page_at(width, theme=theme), alice, f"/vouchers/{sale.pk}/")
    box = page.locator("#grab")
    expect(box.get_by_text("Pay within")).to_be_visible()
    expect(box.locator("[data-pay] > time")).to_have_text(re.compile(r"09:\d\d$"))
    expect(box.get_by_text("Ends in")).to_be_hidden()
    pay = box.locator("[data-when=have]").get_by_role("link", name="See the order and pay")
    expect(pay).to_have_attribute("href", f"/orders/{order.pk}/")
    VoucherOrder.objects.update(status="paid")
    page.reload()
    expect(box.get_by_role("link", name="Open your order")).to_be_visible()
    expect(box.get_by_text("Pay within")).to_be_hidden()


def test_name_and_price_stay_beside_the_button_on_a_wide_screen(
    page_at: chromium_pages.PageAt, sale: FlashSale
) -> None:
    page = page_at(1280)
    go_to(page, f"/vouchers/{sale.pk}/")
    assert page.locator(".voucher-picture").evaluate("picture => picture.offsetHeight") <= 320
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    box = page.locator(".sale-box")
    for part in ("h1", ".sale-head__price", "#grab a:visible"):
        expect(box.locator(part)).to_be_in_viewport(ratio=1)


def test_a_sale_is_a_row_on_a_phone(page_at: chromium_pages.PageAt, make_sale: MakeSale) -> None:
    make_sale(), make_sale(begins_in=9_000)
    page = page_at(360)
    go_to(page, "/sales/")
    rows = page.locator(".sale-rows > .flash-card")
    expect(rows).to_have_count(2)
    assert all(row.evaluate("row => row.offsetHeight") <= 95 for row in rows.all())
    # Six of them, a little apart, end above the tab bar of a screen 780 pixels high.
    begins = rows.first.evaluate("row => row.getBoundingClientRect().top")
    assert begins + 6 * 96 <= 780 - page.locator(".tabbar").evaluate("bar => bar.offsetHeight")
    bell = rows.last.get_by_role("button", name="Remind me")
    time = rows.last.locator(".flash-card__top > :last-child").bounding_box()
    box = bell.bounding_box()
    assert time
    assert box
    assert time["x"] + time["width"] <= box["x"], "the button lies over the time"
    assert chromium_pages.horizontal_overflow(page) == 0


def test_after_a_cancelled_order_one_buys_anew(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User
) -> None:
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    tokens = sent_tokens(page)
    grab(page)
    expect_state(page, "got")
    order_id = seckill.find_order_id(sale.pk, user_id=alice.pk)
    assert order_id
    buyers.record_order(sale, order_id)
    buyers.browser_client(alice).post(f"/orders/{order_id}/cancel/")
    go_to(page, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    grab(page)
    expect_state(page, "got")
    assert len(set(tokens)) == 2
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) != order_id


def test_a_refusal_is_said_in_words(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User, bob: User
) -> None:
    sale = make_sale(units=1)
    page = open_page(page_at(360, locale="zh-CN"), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    page.route(re.compile("/api/me/page"), lambda route: route.abort())
    buyers.queue_order(sale, bob)
    page.get_by_role("button", name="立即抢购").click()
    expect_state(page, "sold_out")
    expect(page.locator(".toast p")).to_have_text("已经抢光了。")


def test_a_clock_that_is_wrong_opens_nothing_early(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale, page = make_sale(begins_in=600), page_at(360)
    page.clock.set_fixed_time(timezone.now() + timedelta(hours=1))
    page = open_page(page, alice, f"/vouchers/{sale.pk}/")
    expect(page.locator("#grab .countdown--large")).to_contain_text(re.compile("00:(09|10):"))
    expect_state(page, "soon")


def test_the_last_unit_goes_while_one_watches_and_comes_back(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User, bob: User
) -> None:
    sale = make_sale(units=1)
    page = open_page(page_at(1280), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "open")
    order = buyers.create_order(sale, bob)
    expect_state(page, "sold_out")
    buyers.browser_client(bob).post(f"/orders/{order.pk}/cancel/")
    expect_state(page, "open")


def test_a_visitor_logs_in_and_comes_back(page_at: chromium_pages.PageAt, sale: FlashSale) -> None:
    page = open_page(page_at(360), None, f"/vouchers/{sale.pk}/")
    expect_state(page, "login")
    page.get_by_role("link", name="Log in to grab it").click()
    page.wait_for_url(f"**/login/?next=%2Fvouchers%2F{sale.pk}%2F")


def test_cancelling_asks_first(page_at: chromium_pages.PageAt, sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    page = open_page(page_at(360), alice, f"/orders/{order.pk}/")
    page.locator("#cancel-link").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert VoucherOrder.objects.get().status == "unpaid"
    page.locator("#cancel-link").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the order").click()
    expect(page.get_by_text("This order is cancelled")).to_be_visible()
    assert VoucherOrder.objects.get().status == "cancelled"


def test_a_press_is_drawn_before_the_claim_is_sent(
    page_at: chromium_pages.PageAt, sale: FlashSale, alice: User
) -> None:
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    page.evaluate(
        """() => {
            const send = window.fetch;
            const note = () => requestAnimationFrame(() => (window.drawn = true));
            document.addEventListener("submit", note, true);
            window.fetch = (...request) => {
                if (String(request[0]).endsWith("/seckill"))
                    window.sent = [window.drawn, document.getElementById("grab").dataset.state];
                return send(...request);
            };
        }"""
    )
    grab(page)
    expect_state(page, "got")
    assert page.evaluate("window.sent") == [True, "queueing"]


def test_a_double_click_makes_one_order(page_at: chromium_pages.PageAt, sale: FlashSale, alice: User) -> None:
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    tokens, held = sent_tokens(page), list[Route]()
    # Where the answer comes between the two, the second click is on the link to the order.
    page.route(re.compile("/seckill"), lambda route: held.append(route))
    page.get_by_role("button", name="Grab it now").dblclick()
    expect_state(page, "queueing")
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    expect_state(page, "got")
    assert len(tokens) == 1
    assert seckill.read_stock(sale.pk) == 9


def test_a_page_has_started_when_its_button_has(page_at: chromium_pages.PageAt, sale: FlashSale) -> None:
    """While htmx's first load starts it, the page's own start has nothing left to do."""
    page, held = page_at(360), list[Route]()
    page.route("**/js/sale*.js", lambda route: held.append(route), times=1)
    with page.expect_request("**/js/sale*.js"):
        page.goto(f"/vouchers/{sale.pk}/", wait_until="domcontentloaded")
    page.wait_for_timeout(700)
    assert page.evaluate("document.documentElement.dataset.started") is None
    held[0].continue_()
    chromium_pages.wait_for_scripts(page)


def test_a_sale_for_regulars_says_how_many_days_are_left_to_go(
    page_at: chromium_pages.PageAt, make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(streak_days=7)
    Standing.objects.create(user=alice, streak=4, last_day=clock.today())
    page = open_page(page_at(360), alice, f"/vouchers/{sale.pk}/")
    expect_state(page, "regulars")
    expect(page.locator("[data-days]")).to_have_text("For regulars: 3 days to go")
    expect(page.locator("#grab").get_by_role("link", name="Check in")).to_be_visible()
    expect(page.get_by_role("button", name="Grab it now")).to_be_hidden()
    expect(page.get_by_text("Only for people with 7 check-ins in a row")).to_be_visible()
    assert chromium_pages.horizontal_overflow(page) == 0
