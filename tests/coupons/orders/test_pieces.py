"""An ordinary voucher that one person may have more than once: each an order with a code, never too many."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from apps.accounts.models import User
from apps.coupons.admin.vouchers import VoucherForm
from apps.coupons.buyer import gifts, order_views, purchases
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.factories import VoucherFactory, VoucherOrderFactory
from tests.races import race
from tests.rounds import choose_rounds
from tests.shops import makers

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def voucher() -> Voucher:
    """Three for each person."""
    return VoucherFactory.create(shop=makers.shop(), per_person=3)


def buy(voucher: Voucher, user: User, token: str) -> int:
    return purchases.buy(voucher.pk, user=user, request_token=token)[0]


def had(user: User) -> list[int]:
    """The pieces of the person's orders that count, in their order."""
    return sorted(VoucherOrder.objects.active().filter(user=user).values_list("piece", flat=True))


def assert_refused(voucher: Voucher, user: User, *, order_id: int) -> None:
    with pytest.raises(Problem) as refused:
        buy(voucher, user, "one too many")
    assert (refused.value.status, refused.value.code) == (409, "already_bought")
    assert refused.value.extra["order_id"] == str(order_id)


def test_each_is_an_order_with_its_own_code_up_to_the_limit(voucher: Voucher, alice: User, bob: User) -> None:
    numbers = [buy(voucher, alice, f"t{number}") for number in range(3)]
    orders = VoucherOrder.objects.in_bulk(numbers)
    assert len(orders) == len({order.redeem_code for order in orders.values()}) == 3
    assert {order.price for order in orders.values()} == {voucher.price}
    assert_refused(voucher, alice, order_id=numbers[-1])
    assert had(alice) == [0, 1, 2]
    buy(voucher, bob, "his")
    assert had(bob) == [0], "each person has a limit of their own"


def test_pressed_again_it_is_the_same_order(voucher: Voucher, alice: User) -> None:
    first = buy(voucher, alice, "t0")
    assert buy(voucher, alice, "t0") == first
    numbers = {buy(voucher, alice, f"t{number}") for number in range(3)}
    assert first in numbers
    assert buy(voucher, alice, "t2") in numbers, "also when they have all that they may"


@pytest.mark.parametrize("end", [Status.CANCELLED, Status.REFUNDED])
def test_one_that_ended_makes_room_and_one_that_was_used_does_not(
    voucher: Voucher, alice: User, end: Status
) -> None:
    numbers = [buy(voucher, alice, f"t{number}") for number in range(3)]
    VoucherOrder.objects.filter(pk=numbers[0]).update(status=Status.USED)
    assert_refused(voucher, alice, order_id=numbers[-1])
    VoucherOrder.objects.filter(pk=numbers[1]).update(status=end)
    buy(voucher, alice, "instead")
    assert had(alice) == [0, 1, 2]


def test_one_is_refunded_and_another_given_away(voucher: Voucher, alice: User, bob: User) -> None:
    first, second, third = (
        VoucherOrder.objects.get(pk=buy(voucher, alice, f"t{number}")) for number in range(3)
    )
    for order in (first, second, third):
        lifecycle.mark_paid(order)
    refunds.refund_order(first)
    gifts.take(gifts.write_token(gifts.make(second.pk, user=alice).number), user=bob)
    assert order_views.get_own(first.pk, alice).status == Status.REFUNDED
    assert order_views.get_own(second.pk, alice).given_to == bob.nickname
    assert order_views.get_own(third.pk, alice).redeem_code == third.redeem_code
    assert had(alice) == [1, 2], "one that was given away counts for who bought it"
    assert had(bob) == []
    buy(voucher, alice, "instead")
    assert had(alice) == [0, 1, 2]


def test_a_lower_limit_leaves_what_people_have(voucher: Voucher, alice: User) -> None:
    numbers = [buy(voucher, alice, f"t{number}") for number in range(3)]
    Voucher.objects.update(per_person=1)
    assert_refused(voucher, alice, order_id=numbers[-1])
    VoucherOrder.objects.filter(pk__in=numbers[:2]).update(status=Status.CANCELLED)
    assert_refused(voucher, alice, order_id=numbers[-1])
    VoucherOrder.objects.update(status=Status.CANCELLED)
    buy(voucher, alice, "again")
    assert had(alice) == [0]


def test_the_database_refuses_a_piece_twice(voucher: Voucher, alice: User) -> None:
    VoucherOrderFactory.create(user=alice, voucher=voucher, piece=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        VoucherOrderFactory.create(user=alice, voucher=voucher, piece=1)


def test_the_page_offers_another_until_there_are_enough(
    voucher: Voucher, alice: User, client: Client
) -> None:
    def own_order() -> str | None:
        answer = buyers.api_client(alice).get(f"/api/me/page?sale={voucher.pk}").json()
        found: str | None = answer["sale"]["order_id"]
        return found

    assert "Up to 3 for each person" in client.get(f"/vouchers/{voucher.pk}/").content.decode()
    for number in range(2):
        buy(voucher, alice, f"t{number}")
        assert own_order() is None
    last = buy(voucher, alice, "t2")
    assert own_order() == str(last)


def test_programs_read_the_limit(voucher: Voucher, client: Client) -> None:
    [offer] = client.get(f"/api/shops/{voucher.shop_id}/vouchers").json()["items"]
    assert offer["per_person"] == 3


@pytest.mark.parametrize(
    ("value", "is_fine"), [("1", True), ("20", True), ("0", False), ("21", False), ("-1", False)]
)
def test_the_form_takes_one_to_twenty(voucher: Voucher, value: str, is_fine: bool) -> None:
    form = VoucherForm({"per_person": value}, instance=voucher)
    form.is_valid()
    assert ("per_person" not in form.errors) is is_fine


def test_a_flash_sale_s_limit_is_changed_with_its_terms(sale: FlashSale) -> None:
    form = VoucherForm({"per_person": "2"}, instance=sale.voucher)
    assert not form.is_valid()
    assert form.errors["per_person"] == ["Of a flash sale this is changed on the sale's own page."]
    for unchanged in ({"per_person": "1"}, {}):
        form = VoucherForm(unchanged, instance=sale.voucher)
        form.is_valid()
        assert "per_person" not in form.errors


@pytest.mark.wide
@pytest.mark.django_db(transaction=True)
def test_many_presses_at_once_get_as_many_as_one_person_may(alice: User) -> None:
    for _round in range(choose_rounds(4, long=40)):
        voucher = VoucherFactory.create(shop=makers.shop(), per_person=3)
        answers = race(8, lambda number: buy(voucher, alice, f"t{number // 2}"))  # noqa: B023
        numbers = Counter(type(answer).__name__ for answer in answers)
        assert numbers["int"] in {6}, answers
        bought = {answer for answer in answers if isinstance(answer, int)}
        assert len(bought) == VoucherOrder.objects.filter(voucher=voucher).count() == 3
        pieces = VoucherOrder.objects.filter(voucher=voucher).values_list("piece", flat=True)
        assert sorted(pieces) == [0, 1, 2]
