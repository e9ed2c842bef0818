"""Gifts: a paid coupon moves once to who opens its link first, and the money stays the payer's."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.test import RequestFactory
from django.utils import timezone

from apps.accounts.models import Block, User
from apps.coupons import erasure
from apps.coupons.buyer import gifts, order_views, purchases
from apps.coupons.counter import redeeming
from apps.coupons.models import FlashSale, Gift, Redemption, Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds
from apps.coupons.reconcile import payment_invariants, sale_invariants
from apps.mailbox.models import Notification, NotificationActor
from apps.web.problems import Problem
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def paid(order: VoucherOrder, sandbox: None) -> VoucherOrder:
    """Alice's coupon of a flash sale, paid at the sandbox bank."""
    payers.pay_order(order)
    return order


@pytest.fixture
def token(paid: VoucherOrder, alice: User) -> str:
    """What stands in the link that gives it away."""
    return gifts.write_token(gifts.make(paid.pk, user=alice).number)


@pytest.fixture
def given(paid: VoucherOrder, token: str, bob: User) -> VoucherOrder:
    """The same, taken by Bob."""
    gifts.take(token, user=bob)
    paid.refresh_from_db()
    return paid


def problem_of(act: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(Problem) as refused:
        act()
    return refused.value.status, refused.value.code


def change(order: VoucherOrder, **values: Any) -> None:
    VoucherOrder.objects.filter(pk=order.pk).update(**values)


def notes_of(user: User) -> list[tuple[str, str]]:
    return list(Notification.objects.filter(recipient=user).order_by("id").values_list("kind", "text"))


def test_who_takes_it_gets_a_new_code_and_the_giver_has_none(
    given: VoucherOrder, alice: User, bob: User
) -> None:
    hers, his = order_views.get_own(given.pk, alice), order_views.get_own(given.pk, bob)
    assert (hers.redeem_code, hers.given_to, hers.given_by) == (None, bob.nickname, None)
    assert (his.redeem_code, his.given_to, his.given_by) == (given.redeem_code, None, alice.nickname)
    assert his.given_at == hers.given_at == Gift.objects.get(order=given).taken_at
    assert his.payment is None
    assert [view.id for view in order_views.list_page(bob)[0]] == [given.pk]
    assert [view.id for view in order_views.list_page(alice)[0]] == [given.pk]
    assert {tab.name: tab.orders for tab in order_views.count_by_tab(bob)}["paid"] == 1


def test_the_code_of_before_is_no_code_any_more(paid: VoucherOrder, token: str, bob: User) -> None:
    before = paid.redeem_code
    gifts.take(token, user=bob)
    assert not VoucherOrder.objects.filter(redeem_code=before).exists()
    with pytest.raises(lifecycle.TransitionNotAllowed):
        lifecycle.redeem(paid)
    paid.refresh_from_db()
    assert paid.status == Status.PAID
    lifecycle.redeem(paid)
    assert order_views.get_own(paid.pk, bob).is_used


def test_the_link_is_the_same_while_it_can_be_taken(paid: VoucherOrder, alice: User) -> None:
    first = gifts.make(paid.pk, user=alice)
    assert gifts.make(paid.pk, user=alice).number == first.number
    assert gifts.LINK_LIFETIME - (first.expires_at - timezone.now()) < timedelta(minutes=1)
    assert Gift.objects.count() == 1


def test_a_link_ends_with_its_coupon(paid: VoucherOrder, alice: User) -> None:
    ends = timezone.now() + timedelta(hours=3)
    change(paid, valid_until=ends)
    assert gifts.make(paid.pk, user=alice).expires_at == ends


def test_a_link_that_was_taken_back_or_is_too_old_gives_nothing(
    paid: VoucherOrder, token: str, alice: User, bob: User
) -> None:
    gifts.take_back(paid.pk, user=alice)
    gifts.take_back(paid.pk, user=alice)
    assert problem_of(lambda: gifts.take(token, user=bob)) == (410, "gift_gone")
    second = gifts.write_token(gifts.make(paid.pk, user=alice).number)
    assert second != token
    with time_machine.travel(timezone.now() + gifts.LINK_LIFETIME + timedelta(seconds=1)):
        assert problem_of(lambda: gifts.take(second, user=bob)) == (410, "gift_gone")
        third = gifts.write_token(gifts.make(paid.pk, user=alice).number)
        assert third != second
        assert problem_of(lambda: gifts.take(second, user=bob)) == (410, "gift_gone")
        assert gifts.take(third, user=bob) == paid.pk


@pytest.mark.parametrize("forged", ["", ".", "x", "a" * 5_000, "\0", "礼物.礼物", "m3Xz0dQw8c1LrTfa.AAAA"])
def test_a_forged_link_is_none(bob: User, forged: str) -> None:
    assert problem_of(lambda: gifts.take(forged, user=bob)) == (404, "not_found")
    assert problem_of(lambda: gifts.find(forged, viewer_id=None)) == (404, "not_found")


def test_the_number_of_a_row_is_no_link(paid: VoucherOrder, token: str, bob: User) -> None:
    number = Gift.objects.get(order=paid).number
    assert problem_of(lambda: gifts.take(number, user=bob)) == (404, "not_found")


@pytest.mark.parametrize("status", [Status.UNPAID, Status.USED, Status.CANCELLED, Status.REFUNDED])
def test_only_what_is_paid_and_unused_is_given(
    paid: VoucherOrder, token: str, alice: User, bob: User, status: Status
) -> None:
    change(paid, status=status)
    assert problem_of(lambda: gifts.take(token, user=bob)) == (410, "gift_gone")
    assert problem_of(lambda: gifts.make(paid.pk, user=alice)) == (409, "not_possible")
    assert order_views.get_own(paid.pk, alice).gift_open_until is None


def test_what_lapsed_is_not_given(paid: VoucherOrder, token: str, alice: User, bob: User) -> None:
    change(paid, valid_until=timezone.now() - timedelta(seconds=1))
    assert problem_of(lambda: gifts.take(token, user=bob)) == (410, "gift_gone")
    assert problem_of(lambda: gifts.make(paid.pk, user=alice)) == (409, "not_possible")


def test_a_queued_order_is_not_given(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    assert problem_of(lambda: gifts.make(order_id, user=alice)) == (409, "not_possible")


def test_ones_own_link_is_refused(token: str, paid: VoucherOrder, alice: User) -> None:
    assert problem_of(lambda: gifts.take(token, user=alice)) == (409, "own_gift")
    paid.refresh_from_db()
    assert paid.holder is None


@pytest.mark.parametrize("giver_blocks", [True, False])
def test_people_with_a_block_between_them_give_each_other_nothing(
    token: str, alice: User, bob: User, charlie: User, giver_blocks: bool
) -> None:
    blocker, blocked = (alice, bob) if giver_blocks else (bob, alice)
    Block.objects.create(blocker=blocker, blocked=blocked)
    assert problem_of(lambda: gifts.take(token, user=bob)) == (410, "gift_gone")
    assert problem_of(lambda: gifts.find(token, viewer_id=bob.pk)) == (410, "gift_gone")
    assert gifts.take(token, user=charlie)


def test_the_link_of_a_deleted_account_gives_nothing(token: str, alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert problem_of(lambda: gifts.take(token, user=bob)) == (410, "gift_gone")


def test_it_moves_once(given: VoucherOrder, token: str, alice: User, bob: User, charlie: User) -> None:
    code = given.redeem_code
    assert gifts.take(token, user=bob) == given.pk
    given.refresh_from_db()
    assert given.redeem_code == code, "pressed again it is the same coupon"
    assert problem_of(lambda: gifts.take(token, user=charlie)) == (410, "gift_gone")
    for person in (alice, bob):
        for verb in (gifts.make, gifts.take_back):
            assert problem_of(partial(verb, given.pk, user=person)) == (409, "given")


def test_a_stranger_makes_no_link(paid: VoucherOrder, charlie: User) -> None:
    client = buyers.api_client(charlie)
    assert client.post(f"/api/orders/{paid.pk}/gift", content_type="application/json").status_code == 404
    assert client.delete(f"/api/orders/{paid.pk}/gift").status_code == 404


def test_neither_side_has_a_given_coupon_refunded(given: VoucherOrder, alice: User, bob: User) -> None:
    for person in (alice, bob):
        assert problem_of(partial(purchases.refund, given.pk, user=person)) == (409, "given")
    given.refresh_from_db()
    assert given.status == Status.PAID


def test_unused_its_money_goes_to_who_paid(given: VoucherOrder, alice: User, bob: User) -> None:
    change(given, valid_until=timezone.now() - timedelta(seconds=1))
    assert refunds.refund_expired() == 1
    payment = Payment.objects.get(order_id=given.pk)
    assert payment.state == PaymentState.REFUNDING
    assert order_views.get_own(given.pk, alice).payment == payment
    assert ("refund", "expired") in notes_of(alice)
    assert notes_of(bob) == [("order", "gift-over")]
    assert list(payment_invariants.find_violations()) == []


def test_the_giver_hears_who_took_it_and_its_user_that_it_was_used(
    given: VoucherOrder, alice: User, bob: User
) -> None:
    assert notes_of(alice) == [("order", "given")]
    lifecycle.redeem(given)
    assert notes_of(alice) == [("order", "given")]
    assert notes_of(bob) == [("order", "used")]
    [actor] = NotificationActor.objects.filter(notification__recipient=alice)
    assert actor.actor_id == bob.pk


def test_one_for_each_person_counts_the_buyer(
    given: VoucherOrder, sale: FlashSale, alice: User, bob: User
) -> None:
    assert problem_of(lambda: purchases.claim_unit(sale.pk, user_id=alice.pk, request_token="another")) == (
        409,
        "already_bought",
    )
    own = buyers.create_order(sale, bob)
    assert own.user == bob
    assert len(order_views.list_page(bob)[0]) == 2
    assert list(sale_invariants.find_violations(sale)) == []


def test_the_counter_serves_the_holder(given: VoucherOrder, bob: User, manager: User) -> None:
    client = buyers.api_client(manager)
    answer = client.post("/api/orders/redeem", {"code": given.redeem_code}, content_type="application/json")
    assert (answer.status_code, answer.json()["person"]) == (200, bob.nickname)
    assert Redemption.objects.get().order == given
    [row] = client.get("/api/orders/redeemed").json()["items"]
    assert row["person"] == bob.nickname


class TestErasure:
    def test_unused_it_goes_back_to_who_paid(self, given: VoucherOrder, alice: User, bob: User) -> None:
        code = given.redeem_code
        while erasure.purge(bob.pk):
            continue
        given.refresh_from_db()
        assert (given.holder, given.status) == (None, Status.PAID)
        assert given.redeem_code != code
        assert order_views.get_own(given.pk, alice).redeem_code == given.redeem_code
        assert notes_of(alice) == [("order", "given-back")]
        assert gifts.make(given.pk, user=alice).taken_at is None

    def test_used_it_stays_as_it_was(self, given: VoucherOrder, alice: User, bob: User) -> None:
        lifecycle.redeem(given)
        while erasure.purge(bob.pk):
            continue
        User.objects.filter(pk=bob.pk).update(nickname="")
        found = order_views.get_own(given.pk, alice)
        assert (found.given_to, found.redeem_code, found.is_used) == ("Deleted account", None, True)

    def test_the_giver_has_nothing_left_to_use_and_the_receiver_has(
        self, given: VoucherOrder, alice: User, bob: User
    ) -> None:
        assert list(erasure.find_blockers(alice)) == []
        [blocker] = erasure.find_blockers(bob)
        assert "1 coupon that was given to you" in blocker.text
        assert blocker.loss

    def test_both_find_it_in_their_data(self, given: VoucherOrder, alice: User, bob: User) -> None:
        assert [row["id"] for row in erasure.export(alice.pk)["orders"]] == [str(given.pk)]
        hers = erasure.export(bob.pk)
        assert (hers["orders"], [row["id"] for row in hers["gifts"]]) == ([], [str(given.pk)])
        assert "price" not in hers["gifts"][0]


class TestApi:
    def test_a_program_gives_and_takes(self, paid: VoucherOrder, alice: User, bob: User) -> None:
        giver, taker = buyers.api_client(alice), buyers.api_client(bob)
        made = giver.post(f"/api/orders/{paid.pk}/gift", content_type="application/json")
        assert made.status_code == 201
        link = made.json()
        assert link["url"] == f"http://testserver/gifts/{link['token']}/"
        opened = taker.get(f"/api/gifts/{link['token']}").json()
        assert (opened["giver"], opened["order_id"]) == (alice.nickname, None)
        assert opened["voucher"]["id"] == paid.voucher_id
        order = taker.post(f"/api/gifts/{link['token']}/take").json()
        assert (order["id"], order["given_by"], order["payment"]) == (str(paid.pk), alice.nickname, None)
        assert order["redeem_code"]
        assert taker.get(f"/api/gifts/{link['token']}").json() == {"order_id": str(paid.pk)}
        hers = giver.get(f"/api/orders/{paid.pk}").json()
        assert (hers["given_to"], hers["redeem_code"]) == (bob.nickname, None)

    def test_a_word_goes_along(self, paid: VoucherOrder, alice: User, bob: User) -> None:
        giver, path = buyers.api_client(alice), f"/api/orders/{paid.pk}/gift"
        sent = partial(giver.post, path, content_type="application/json")
        made = sent({"words": "Happy birthday!"})
        assert (made.status_code, made.json()["words"]) == (201, "Happy birthday!")
        opened = buyers.api_client(bob).get(f"/api/gifts/{made.json()['token']}").json()
        assert opened["words"] == "Happy birthday!"
        assert sent({}).json()["words"] == "Happy birthday!", "without words those of the link stay"
        assert giver.generic("POST", path).json() == made.json(), "a program that sends no body"
        for odd in ("x" * (Gift.MAX_WORDS_LENGTH + 1), "a\u202eb"):
            refused = sent({"words": odd})
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
            assert Gift.objects.get().words == "Happy birthday!"

    def test_a_link_is_taken_back(self, paid: VoucherOrder, token: str, alice: User, bob: User) -> None:
        assert buyers.api_client(alice).delete(f"/api/orders/{paid.pk}/gift").status_code == 204
        answer = buyers.api_client(bob).post(f"/api/gifts/{token}/take")
        assert (answer.status_code, answer.json()["code"]) == (410, "gift_gone")

    def test_a_visitor_reads_it_and_takes_nothing(self, token: str, client: Any) -> None:
        assert client.get(f"/api/gifts/{token}").status_code == 200
        assert client.post(f"/api/gifts/{token}/take").status_code == 401


def test_an_ordinary_coupon_is_given_too(voucher: Voucher, alice: User, bob: User) -> None:
    [order_id] = purchases.buy(voucher.pk, user=alice, request_token="one")
    VoucherOrder.objects.filter(pk=order_id).update(status=Status.PAID)
    assert gifts.take(gifts.write_token(gifts.make(order_id, user=alice).number), user=bob) == order_id


def test_a_code_that_was_looked_up_before_the_gift_is_unknown_after_it(
    paid: VoucherOrder, token: str, bob: User, manager: User, rf: RequestFactory
) -> None:
    request = rf.post("/redeem/")
    request.user = manager
    looked_up = redeeming.find_order(paid.redeem_code, manager)
    gifts.take(token, user=bob)
    assert problem_of(lambda: redeeming.redeem(request, looked_up)) == (404, "not_found")
    paid.refresh_from_db()
    assert paid.status == Status.PAID
