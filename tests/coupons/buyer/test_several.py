"""Several coupons of one voucher are bought with one press and paid at once, by programs and by people."""

import html
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.buyer import gifts, purchases
from apps.coupons.claims import seckill
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.coupons.models.payments import Charge, Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.web.problems import Problem
from tests.coupons import buyers, payers
from tests.coupons.conftest import MakeSale
from tests.factories import VoucherFactory
from tests.races import race
from tests.rounds import choose_rounds
from tests.shops import makers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]

PRICE = 4_900


@pytest.fixture
def voucher(db: None) -> Voucher:
    """An ordinary one, three for each person."""
    return VoucherFactory.create(shop=makers.shop(), per_person=3, price=PRICE)


def post_buy(voucher: Voucher, user: User, query: str = "", key: str | None = None) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return buyers.api_client(user).post(f"/api/vouchers/{voucher.pk}/buy{query}", headers=headers)


def post_checkout(user: User, order_ids: object) -> Any:
    body = json.dumps({"order_ids": order_ids})
    return buyers.api_client(user).post("/api/checkouts", body, content_type="application/json")


def buy_on_page(voucher: Voucher, user: User, count: object = 3) -> Any:
    return buyers.browser_client(user).post(f"/vouchers/{voucher.pk}/buy/", {"count": count})


def buy(voucher: Voucher, user: User, count: int = 3) -> list[VoucherOrder]:
    numbers = purchases.buy(voucher.pk, user=user, request_token="t", count=count)
    return [VoucherOrder.objects.get(pk=number) for number in numbers]


def read_page(user: User, path: str) -> str:
    answer = buyers.browser_client(user).get(path)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def find_named_orders(page: str) -> list[int]:
    """The orders that the form of a joint payment names."""
    return [int(number) for number in re.findall(r'name="order" value="(\d+)"', page)]


# -- bought with one press ---------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_program_buys_several_with_one_request(voucher: Voucher, alice: User) -> None:
    answer = post_buy(voucher, alice, "?count=3", key="one")
    assert answer.status_code == 201
    bought = answer.json()
    assert bought["order_id"] == bought["order_ids"][0]
    orders = VoucherOrder.objects.in_bulk(list(map(int, bought["order_ids"])))
    assert sorted(order.piece for order in orders.values()) == [0, 1, 2]
    assert len({order.redeem_code for order in orders.values()}) == 3
    assert len({order.pay_deadline for order in orders.values()}) == 1
    for query in ("?count=3", "?count=1", ""):
        assert post_buy(voucher, alice, query, key="one").json() == bought, "the same request again"
    assert VoucherOrder.objects.count() == 3


def test_without_a_number_it_is_one(voucher: Voucher, alice: User) -> None:
    bought = post_buy(voucher, alice).json()
    assert bought["order_ids"] == [bought["order_id"]]


def test_fewer_than_wanted_are_left(voucher: Voucher, alice: User) -> None:
    post_buy(voucher, alice, "?count=2")
    answer = post_buy(voucher, alice, "?count=2")
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["left"]) == (409, "too_many", 1)
    assert problem["detail"] == "You can have only 1 more of this coupon."
    assert VoucherOrder.objects.count() == 2, "all or none"
    assert post_buy(voucher, alice, "?count=1").status_code == 201
    assert post_buy(voucher, alice, "?count=1").json()["code"] == "already_bought"


@pytest.mark.parametrize("count", ["0", "21", "-1", "x", "", "1.0", "٣", str(2**63), "9" * 5_000])
def test_a_number_that_is_none_buys_nothing(voucher: Voucher, alice: User, count: str) -> None:
    assert post_buy(voucher, alice, f"?count={count}").status_code == 422
    assert buy_on_page(voucher, alice, count).status_code == 400
    assert not VoucherOrder.objects.exists()


def test_no_client_s_token_is_that_of_another_s_second_coupon(voucher: Voucher, alice: User) -> None:
    tokens = {order.token for order in buy(voucher, alice)}
    assert len(tokens) == 3
    assert max(map(len, lifecycle._number_token("x" * 64)[1:])) <= 64
    assert len(set(lifecycle._number_token("x"))) == MAX_PER_PERSON
    for token in tokens - {"t"}:
        assert post_buy(voucher, alice, key=token).status_code == 400


@pytest.mark.wide
def test_presses_at_once_get_all_or_none(alice: User) -> None:
    for _round in range(choose_rounds(4, long=40)):
        voucher = VoucherFactory.create(shop=makers.shop(), per_person=5, price=PRICE)

        def press(number: int, voucher: Voucher = voucher) -> object:
            try:
                token = f"t{number // 2}"
                return len(purchases.buy(voucher.pk, user=alice, request_token=token, count=2))
            except Problem as why:
                return why.code

        answers = race(8, press)
        assert Counter(answers) == {2: 4, "too_many": 4}, answers
        pieces = VoucherOrder.objects.filter(voucher=voucher).values_list("piece", flat=True)
        assert sorted(pieces) == [0, 1, 2, 3]


def test_people_choose_how_many_and_see_the_sum(voucher: Voucher, alice: User) -> None:
    page = read_page(alice, f"/vouchers/{voucher.pk}/")
    assert re.findall(r'<option value="(\d)">([^<]*)</option>', page) == [
        ("1", "1 · ¥49"),
        ("2", "2 · ¥98"),
        ("3", "3 · ¥147"),
    ]
    answer = buy_on_page(voucher, alice)
    first = VoucherOrder.objects.earliest("pk")
    assert (answer.status_code, answer["Location"]) == (303, f"/orders/{first.pk}/")
    assert VoucherOrder.objects.filter(user=alice, status=Status.UNPAID).count() == 3


def test_people_read_how_many_are_left(voucher: Voucher, alice: User) -> None:
    buy_on_page(voucher, alice, 1)
    answer = buy_on_page(voucher, alice, 3)
    assert answer["Location"] == f"/vouchers/{voucher.pk}/?reason=too_many&left=2"
    assert "You can have only 2 more of this coupon." in read_page(alice, answer["Location"])
    for left in ("x", "", "99999", "٣"):
        assert "You can have only" not in read_page(
            alice, f"/vouchers/{voucher.pk}/?reason=too_many&left={left}"
        )


# -- paid at once ------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_program_pays_them_at_once(voucher: Voucher, alice: User) -> None:
    numbers = post_buy(voucher, alice, "?count=3").json()["order_ids"]
    answer = post_checkout(alice, numbers)
    charge = Charge.objects.get()
    assert answer.json() == {
        "order_ids": numbers,
        "pay_url": f"http://testserver/sandbox/pay/{charge.reference}/",
    }
    assert post_checkout(alice, numbers[::-1]).json()["pay_url"] == answer.json()["pay_url"]
    payers.set_charge_state(charge)
    payers.send_callback(charge)
    client = buyers.api_client(alice)
    paid = [client.get(f"/api/orders/{number}").json() for number in numbers]
    assert [(one["status"], one["payment"]) for one in paid] == [("paid", "succeeded")] * 3
    assert len({one["redeem_code"] for one in paid}) == 3
    assert client.post(f"/api/orders/{numbers[1]}/refund").json()["status"] == "refunded"
    assert payers.read_returned(charge) == PRICE
    again = post_checkout(alice, numbers[:2]).json()
    assert (again["code"], again["order_status"]) == ("not_possible", "paid")


def test_one_alone_is_its_own_payment(voucher: Voucher, alice: User) -> None:
    [number] = post_buy(voucher, alice).json()["order_ids"]
    url = post_checkout(alice, [number]).json()["pay_url"]
    assert url == buyers.api_client(alice).post(f"/api/orders/{number}/pay").json()["pay_url"]
    assert not Charge.objects.exists()


@pytest.mark.parametrize(
    "order_ids",
    [
        None,
        "1",
        [],
        [1],
        ["x"],
        ["-1"],
        ["1", "1"],
        ["1", "01"],
        ["0"],
        ["0", "1"],
        ["1" * 20],
        ["\x00"],
        [["1"]],
        {},
        [None],
    ],
    ids=repr,
)
def test_what_names_no_orders_is_refused(alice: User, order_ids: object) -> None:
    answer = post_checkout(alice, order_ids)
    assert answer.status_code in {400, 422}
    assert answer.json()["code"] == "invalid"


def test_more_than_one_may_have_is_refused(alice: User) -> None:
    assert post_checkout(alice, [str(number) for number in range(1, MAX_PER_PERSON + 2)]).status_code == 422


def test_nobody_pays_for_another_s_orders(voucher: Voucher, alice: User, bob: User) -> None:
    orders = buy(voucher, alice)
    own = [str(order.pk) for order in buy(voucher, bob, 1)]
    for strange in (str(orders[0].pk), "1", str(2**63 - 1), "9" * 19):
        assert post_checkout(bob, [*own, strange]).status_code == 404
    fields = {"order": [*own, orders[1].pk]}
    assert buyers.browser_client(bob).post(f"/orders/{own[0]}/pay/", fields).status_code == 404
    assert not Payment.objects.exists()


def test_a_coupon_that_was_given_is_paid_already(voucher: Voucher, alice: User, bob: User) -> None:
    given, *_others = buy(voucher, alice)
    lifecycle.mark_paid(given)
    gifts.take(gifts.write_token(gifts.make(given.pk, user=alice).number), user=bob)
    own = buy(voucher, bob, 1)[0]
    answer = post_checkout(bob, [str(own.pk), str(given.pk)])
    assert (answer.status_code, answer.json()["code"]) == (409, "not_possible")


def test_orders_of_two_vouchers_are_paid_by_themselves(voucher: Voucher, alice: User) -> None:
    other = VoucherFactory.create(shop=voucher.shop)
    numbers = [str(order.pk) for order in [*buy(voucher, alice), *buy(other, alice, 1)]]
    answer = post_checkout(alice, numbers)
    assert (answer.status_code, answer.json()["code"]) == (409, "not_together")


def test_of_a_flash_sale_what_is_recorded_is_paid_at_once(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=5, voucher__per_person=3)
    claims = [seckill.claim(sale.pk, user_id=alice.pk, request_token=f"t{number}") for number in range(3)]
    numbers = [claim.order_id or 0 for claim in claims]
    answer = post_checkout(alice, list(map(str, numbers)))
    assert (answer.status_code, answer.json()["order_status"]) == (409, "queued")
    buyers.record_order(sale, numbers[0])
    page = read_page(alice, f"/orders/{numbers[1]}/")
    assert "Pay for all 3 · ¥147" in page
    assert find_named_orders(page) == numbers
    charge = payers.begin_together(list(VoucherOrder.objects.all()))
    payers.set_charge_state(charge)
    payers.send_callback(charge)
    assert set(VoucherOrder.objects.values_list("status", flat=True)) == {Status.PAID}


# -- the pages ---------------------------------------------------------------------------------


def test_the_page_offers_all_at_once_and_quietly_one(voucher: Voucher, alice: User) -> None:
    orders = buy(voucher, alice)
    page = read_page(alice, f"/orders/{orders[0].pk}/")
    assert "Pay for all 3 · ¥147" in page
    assert "Pay only this one · ¥49" in page
    assert find_named_orders(page) == [order.pk for order in orders]
    others = re.findall(r'<a class="chip" href="(/orders/\d+/)"> ([^<]*) </a>', page)
    assert (
        others
        == [(f"/orders/{order.pk}/", f"Coupon {number} · to pay") for number, order in enumerate(orders, 1)][
            1:
        ]
    )
    browser = buyers.browser_client(alice)
    answer = browser.post(f"/orders/{orders[0].pk}/pay/", {"order": find_named_orders(page)})
    assert answer["Location"] == f"http://testserver/sandbox/pay/{Charge.objects.get().reference}/"
    assert browser.get(f"/orders/{orders[0].pk}/returned/").status_code == 302
    assert 'data-order-state="confirming"' in read_page(alice, f"/orders/{orders[2].pk}/")
    pay_all(orders)
    page = read_page(alice, f"/orders/{orders[1].pk}/")
    assert 'data-order-state="paid"' in page
    assert "Coupon 1 · to use" in page
    assert "Pay for all" not in page


def pay_all(orders: Sequence[VoucherOrder]) -> None:
    charge = Payment.objects.get(order_id=orders[0].pk, state=PaymentState.BEGUN).charge
    assert charge
    payers.set_charge_state(charge)
    payers.send_callback(charge)


def test_a_form_whose_orders_have_changed_begins_nothing(voucher: Voucher, alice: User) -> None:
    orders = buy(voucher, alice)
    named = find_named_orders(read_page(alice, f"/orders/{orders[0].pk}/"))
    lifecycle.cancel(orders[2])
    browser = buyers.browser_client(alice)
    answer = browser.post(f"/orders/{orders[0].pk}/pay/", {"order": named})
    assert answer["Location"] == f"/orders/{orders[0].pk}/"
    assert not Payment.objects.exists()
    page = html.unescape(browser.get(answer["Location"]).content.decode())
    assert "The order is cancelled." in page
    assert "Pay for all 2 · ¥98" in " ".join(page.split())


@pytest.mark.parametrize("order", ["x", "0", "-1", "", str(2**63)])
def test_a_form_with_another_order_is_refused(voucher: Voucher, alice: User, order: str) -> None:
    own = buy(voucher, alice)[0].pk
    fields = {"order": [str(own), order]}
    assert buyers.browser_client(alice).post(f"/orders/{own}/pay/", fields).status_code == 404
    assert not Payment.objects.exists()


def test_the_list_says_it_once(voucher: Voucher, alice: User) -> None:
    orders = buy(voucher, alice)
    assert read_page(alice, "/orders/").count("Pay for all 3 · ¥147") == 1
    lifecycle.mark_paid(orders[2])
    page = read_page(alice, "/orders/")
    assert page.count("Pay for all 2 · ¥98") == 1
    assert find_named_orders(page) == [order.pk for order in orders[:2]]
    lifecycle.cancel(orders[0])
    assert "Pay for all" not in read_page(alice, "/orders/")


class OneByOne:
    """A provider that returns whole payments alone."""

    name = "one"
    form_action = ()


def test_where_the_provider_can_t_they_are_paid_one_by_one(
    voucher: Voucher, alice: User, settings: Settings
) -> None:
    orders = buy(voucher, alice)
    settings.PAYMENT_PROVIDER = f"{__name__}.OneByOne"
    page = read_page(alice, f"/orders/{orders[0].pk}/")
    assert "Pay for all" not in page + read_page(alice, "/orders/")
    assert "Pay now" in page
    answer = post_checkout(alice, [str(order.pk) for order in orders])
    assert (answer.status_code, answer.json()["code"]) == (409, "not_together")


def test_one_for_each_person_costs_what_it_did(alice: User, bob: User) -> None:
    one, several = (VoucherFactory.create(shop=makers.shop(), per_person=limit) for limit in (1, 2))
    costs = []
    for voucher, user in ((one, alice), (several, bob)):
        [order] = buy(voucher, user, 1)
        browser: Client = buyers.browser_client(user)
        browser.get(f"/orders/{order.pk}/")
        with CaptureQueriesContext(connection) as caught:
            browser.get(f"/orders/{order.pk}/")
        costs.append(len(caught))
    assert costs[1] == costs[0] + 1
