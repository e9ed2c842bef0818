"""Two changes of one coupon whose link is open, at the same moment: one of them wins."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.buyer import gifts, purchases
from apps.coupons.models import FlashSale, Gift, Status, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.reconcile import sale_invariants
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.races import race
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide, pytest.mark.both_databases]

ROUNDS = choose_rounds(6, long=60)
#: A change of an order whose link has this token, by one of two people.
Change = Callable[[VoucherOrder, str], object]


@pytest.fixture
def sale(make_sale: MakeSale) -> FlashSale:
    """A paid order for each unit, with an open link each."""
    sale = make_sale(units=ROUNDS)
    numbers = [buyers.queue_order(sale, user) for user in UserFactory.bulk_create(ROUNDS)]
    buyers.record_order(sale, numbers[-1])
    VoucherOrder.objects.update(status=Status.PAID, paid_at=timezone.now())
    for order in VoucherOrder.objects.select_related("user"):
        gifts.make(order.pk, user=order.user)
    return sale


def race_changes(sale: FlashSale, *changes: Change) -> Counter[tuple[str, ...]]:
    """What came of both changes of each order; Redis and SQL agree afterwards."""
    results = Counter[tuple[str, ...]]()
    for order in VoucherOrder.objects.filter(voucher_id=sale.pk).select_related("user"):
        token = gifts.write_token(Gift.objects.get(order=order).number)
        rows = [VoucherOrder.objects.get(pk=order.pk) for _ in changes]
        said = race(len(changes), lambda number: _try(changes[number], rows[number], token))  # noqa: B023
        results[tuple(map(str, said))] += 1
    assert list(sale_invariants.find_violations(sale)) == []
    return results


def _try(change: Change, order: VoucherOrder, token: str) -> str:
    try:
        change(order, token)
    except (Problem, lifecycle.TransitionNotAllowed) as why:
        return why.code if isinstance(why, Problem) else f"is {why.status}"
    return "done"


def taken_by(user: User) -> Change:
    return lambda _order, token: gifts.take(token, user=user)


def test_of_two_takers_one_gets_it(sale: FlashSale, bob: User, charlie: User) -> None:
    ends = race_changes(sale, taken_by(bob), taken_by(charlie))
    assert sum(ends.values()) == ROUNDS
    assert set(ends) <= {("done", "gift_gone"), ("gift_gone", "done")}
    held = Counter(VoucherOrder.objects.values_list("holder_id", flat=True))
    assert held == Counter({bob.pk: ends["done", "gift_gone"], charlie.pk: ends["gift_gone", "done"]})


def test_one_taker_who_presses_twice_gets_one_code(sale: FlashSale, bob: User) -> None:
    assert set(race_changes(sale, taken_by(bob), taken_by(bob))) == {("done", "done")}
    assert set(VoucherOrder.objects.values_list("holder_id", flat=True)) == {bob.pk}


def test_it_is_taken_or_used_with_the_code_of_before(sale: FlashSale, bob: User) -> None:
    ends = race_changes(sale, taken_by(bob), lambda order, _token: lifecycle.redeem(order))
    assert set(ends) <= {("done", "is paid"), ("gift_gone", "done")}
    held = VoucherOrder.objects.filter(holder=bob, status=Status.PAID).count()
    used = VoucherOrder.objects.filter(holder=None, status=Status.USED).count()
    assert (held, used) == (ends["done", "is paid"], ends["gift_gone", "done"])
    assert held + used == ROUNDS


def test_it_is_taken_or_refunded(sale: FlashSale, bob: User) -> None:
    def refund(order: VoucherOrder, _token: str) -> None:
        purchases.refund(order.pk, user=User.objects.get(pk=order.user_id))

    ends = race_changes(sale, taken_by(bob), refund)
    assert set(ends) <= {("done", "given"), ("gift_gone", "done")}
    held = VoucherOrder.objects.filter(holder=bob, status=Status.PAID).count()
    refunded = VoucherOrder.objects.filter(holder=None, status=Status.REFUNDED).count()
    assert (held, refunded) == (ends["done", "given"], ends["gift_gone", "done"])
    assert held + refunded == ROUNDS


def test_it_is_taken_or_its_link_is_taken_back(sale: FlashSale, bob: User) -> None:
    def take_back(order: VoucherOrder, _token: str) -> None:
        gifts.take_back(order.pk, user=User.objects.get(pk=order.user_id))

    ends = race_changes(sale, taken_by(bob), take_back)
    assert set(ends) <= {("done", "given"), ("gift_gone", "done")}
    assert Gift.objects.count() == VoucherOrder.objects.filter(holder=bob).count() == ends["done", "given"]


def test_two_links_at_once_are_one(sale: FlashSale) -> None:
    Gift.objects.all().delete()
    for order in VoucherOrder.objects.select_related("user"):
        made = race(2, lambda _number: gifts.make(order.pk, user=order.user).number)  # noqa: B023
        assert made[0] == made[1] == Gift.objects.get(order=order).number
