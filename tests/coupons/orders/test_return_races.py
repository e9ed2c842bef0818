"""A unit comes back to a sold-out sale: one of all who wait gets it, pages say at once that it is there."""

import threading
from collections import Counter

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import purchases
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import client
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.races import race
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]

ROUNDS, THREADS, EACH = choose_rounds(10, long=100), 25, 20


@pytest.fixture
def waiting(db: None) -> list[User]:
    """Five hundred people."""
    return UserFactory.bulk_create(THREADS * EACH)


def claim_together(sale: FlashSale, users: list[User], token: str) -> list[ClaimAnswer]:
    """These people try at once, as the gateway sends them."""
    return seckill.claim_many({sale.pk: [(user.pk, token) for user in users]})


@pytest.mark.parametrize("queued", [False, True])
def test_of_five_hundred_who_wait_exactly_one_gets_it(
    make_sale: MakeSale, alice: User, waiting: list[User], queued: bool
) -> None:
    """They try while the cancel is under way, and once more when it is done; `queued`: it has no row yet."""
    sale = make_sale(units=1)
    holder, held = alice, buyers.queue_order(sale, alice)
    for number in range(ROUNDS):
        if not queued:
            buyers.record_order(sale, held)
        got = Counter(_race_for_returned_unit(sale, waiting, number, cancel=held, holder=holder))
        assert sum(got.values()) == 1, got
        (person, held), *_ = got
        holder = next(user for user in waiting if user.pk == person)
        assert seckill.read_stock(sale.pk) == 0
    buyers.drain_queue()
    assert reconciliation.run().clean
    assert VoucherOrder.objects.active().get().pk == held
    assert VoucherOrder.objects.count() == ROUNDS + 1


def _race_for_returned_unit(
    sale: FlashSale, waiting: list[User], number: int, *, cancel: int, holder: User
) -> list[tuple[int, int]]:
    """(person, order) of everybody who was accepted."""
    done = threading.Event()

    def one(place: int) -> list[tuple[int, int]]:
        if place == THREADS:
            purchases.cancel(cancel, user=holder)
            done.set()
            return []
        mine = [user for user in waiting[place * EACH : (place + 1) * EACH] if user != holder]
        first = claim_together(sale, mine, f"a{number}")
        assert done.wait(60)
        answers = zip(mine * 2, first + claim_together(sale, mine, f"b{number}"), strict=True)
        return [
            (user.pk, claim.order_id or 0) for user, claim in answers if claim.outcome is Outcome.ACCEPTED
        ]

    accepted: list[tuple[int, int]] = []
    for said in race(THREADS + 1, one):
        assert isinstance(said, list), said
        accepted += said
    return accepted


def test_a_sold_out_sale_says_at_once_that_a_coupon_is_back(make_sale: MakeSale, alice: User) -> None:
    sale, browser = make_sale(units=1), Client()
    for number in range(choose_rounds(3, long=20)):
        claim = seckill.claim(sale.pk, user_id=alice.pk, request_token=f"t{number}")
        assert claim.order_id
        order = buyers.record_order(sale, claim.order_id)
        assert browser.get(f"/api/vouchers/{sale.pk}/stock").json()["left"] == 0
        lifecycle.cancel(order)
        assert browser.get(f"/api/vouchers/{sale.pk}/stock").json()["left"] == 1
        assert browser.get(f"/api/me/page?sale={sale.pk}").json()["sale"]["left"] == 1
    assert client.get().xlen(keys.for_sale(sale.pk).orders) == 0
