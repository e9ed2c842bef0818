"""A flash sale of which one person may have several: each an order, never too many, come what may."""

import json
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import keys
from apps.coupons.admin.sale_forms import NewSaleForm, TermsForm
from apps.coupons.catalog import sales, vouchers
from apps.coupons.claims import entries, loading, receipts, replicas, seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import DeadLetter, FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import dead_letters, lifecycle, lost_sales
from apps.coupons.reconcile import reconciliation
from apps.coupons.terms import Terms
from apps.redis_kit import client, transport
from tests import asgi_client
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.protocol_client import as_asgi_application
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sale_of_two(make_sale: MakeSale) -> FlashSale:
    """A running sale of ten units, two for each person."""
    return make_sale(voucher__per_person=2)


def grab(sale: FlashSale, user: User, token: str) -> ClaimAnswer:
    return seckill.claim(sale.pk, user_id=user.pk, request_token=token)


def grab_id(sale: FlashSale, user: User, token: str) -> int:
    """The id of an accepted order."""
    result = grab(sale, user, token)
    assert result.outcome is Outcome.ACCEPTED
    return result.order_id or 0


def outcomes(*results: ClaimAnswer) -> list[Outcome]:
    return [result.outcome for result in results]


def record(sale: FlashSale) -> None:
    buyers.drain_queue()
    assert seckill.read_stock(sale.pk) == FlashSale.objects.get(pk=sale.pk).stock_left


def pieces(user: User) -> dict[int, int]:
    """The person's active orders by their pieces."""
    return dict(VoucherOrder.objects.active().filter(user=user).values_list("piece", "pk"))


def assert_in_step() -> None:
    assert [(one.rule, one.detail) for one in reconciliation.run().violations] == []


def test_each_is_an_order_with_a_code_and_a_payment_of_its_own(sale_of_two: FlashSale, alice: User) -> None:
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]
    assert grab(sale_of_two, alice, "t2") == ClaimAnswer(Outcome.ALREADY_BOUGHT, numbers[1], per_person=2)
    assert_in_step()
    record(sale_of_two)
    assert pieces(alice) == {0: numbers[0], 1: numbers[1]}
    first, second = VoucherOrder.objects.in_bulk(numbers).values()
    assert first.redeem_code != second.redeem_code
    lifecycle.mark_paid(second)
    first.refresh_from_db()
    assert (first.status, second.status) == (Status.UNPAID, Status.PAID)


def test_a_repeated_request_is_the_same_order_in_each_piece(sale_of_two: FlashSale, alice: User) -> None:
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]
    record(sale_of_two)
    lifecycle.cancel(VoucherOrder.objects.get(pk=numbers[0]))
    assert grab_id(sale_of_two, alice, "t1") == numbers[1], "also while the place before it is free"
    assert grab_id(sale_of_two, alice, "t0") == numbers[0], "also when its order is over"
    assert seckill.read_stock(sale_of_two.pk) == 9


def test_one_that_ended_makes_room_in_its_place(sale_of_two: FlashSale, alice: User) -> None:
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]
    record(sale_of_two)
    for place, number in enumerate(numbers):
        lifecycle.cancel(VoucherOrder.objects.get(pk=number))
        assert seckill.find_order_id(sale_of_two.pk, user_id=alice.pk, piece=place) is None
        another = grab_id(sale_of_two, alice, f"instead of {place}".replace(" ", "-"))
        assert grab(sale_of_two, alice, "too-many").outcome is Outcome.ALREADY_BOUGHT
        record(sale_of_two)
        assert pieces(alice)[place] == another
        assert_in_step()


def test_a_first_one_is_written_as_in_a_sale_of_one_each(
    sale: FlashSale, sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    order_id = grab_id(sale, alice, "t0")
    held = keys.for_sale(sale.pk)
    assert guarded_redis.hgetall(held.buyers) == {str(alice.pk): f"{order_id}:t0"}
    [fields] = buyers.list_waiting(sale)
    assert set(fields) == {"v", "order", "voucher", "user", "token", "at", "epoch", "signature"}
    grab_id(sale_of_two, alice, "t0"), grab_id(sale_of_two, alice, "t1")
    assert [one.get("piece") for one in buyers.list_waiting(sale_of_two)] == [None, "1"]
    assert set(guarded_redis.hkeys(keys.for_sale(sale_of_two.pk).buyers)) == {str(alice.pk), f"{alice.pk}/1"}


def test_a_limit_that_is_no_number_breaks_nothing(
    make_sale: MakeSale, alice: User, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=50)
    for count, planted in enumerate(["", "x", "0", "-3", "nan", "2", "inf", "1e9", "9" * 20]):
        guarded_redis.hset(keys.for_sale(sale.pk).sale, "per_person", planted)
        results = [grab(sale, alice, f"{count}-{number}") for number in range(25)]
        assert set(outcomes(*results)) <= {Outcome.ACCEPTED, Outcome.ALREADY_BOUGHT}
    assert seckill.read_stock(sale.pk) == 50 - 20, "never more than the site allows anybody"


def test_claims_of_one_person_in_one_batch_share_the_limit(
    sale_of_two: FlashSale, alice: User, bob: User
) -> None:
    claims = [(alice.pk, "a0"), (bob.pk, "b0"), (alice.pk, "a1"), (alice.pk, "a0"), (alice.pk, "a2")]
    first, his, second, again, third = seckill.claim_many({sale_of_two.pk: claims})
    assert outcomes(first, his, second, again, third) == [Outcome.ACCEPTED] * 4 + [Outcome.ALREADY_BOUGHT]
    assert again == first
    assert len({first.order_id, his.order_id, second.order_id}) == 3
    assert third.order_id == second.order_id
    record(sale_of_two)
    assert (len(pieces(alice)), len(pieces(bob))) == (2, 1)
    assert_in_step()


def test_a_hundred_tabs_get_as_many_as_one_person_may(make_sale: MakeSale, alice: User) -> None:
    """Each tab presses twice: one of two requests is a repetition."""
    sale = make_sale(units=50, voucher__per_person=3)
    results = race(32, lambda tab: grab(sale, alice, f"tab{tab // 2}"))
    assert all(isinstance(result, ClaimAnswer) for result in results), results
    found: list[Any] = results
    accepted = {result.order_id for result in found if result.outcome is Outcome.ACCEPTED}
    assert len(accepted) == 3
    assert Counter(outcomes(*found)) == {Outcome.ACCEPTED: 6, Outcome.ALREADY_BOUGHT: 26}
    record(sale)
    assert set(pieces(alice).values()) == accepted
    assert seckill.read_stock(sale.pk) == 47


def test_the_last_unit_is_one_persons_first_or_anothers_second(make_sale: MakeSale) -> None:
    people = UserFactory.bulk_create(4)
    for _round in range(5):
        sale = make_sale(units=3, voucher__per_person=2)
        results: list[Any] = race(16, lambda number: grab(sale, people[number % 4], f"t{number}"))  # noqa: B023
        assert sum(result.outcome is Outcome.ACCEPTED for result in results) == 3
        record(sale)
        assert VoucherOrder.objects.filter(voucher_id=sale.pk).count() == 3


def test_programs_and_pages_hear_how_many_one_may_have(sale_of_two: FlashSale, alice: User) -> None:
    """The gateway and Django's view answer alike."""
    door = as_asgi_application(ClaimRoute())
    bearer = ("authorization", f"Bearer {tokens.issue(alice, kind=AccessToken.Kind.API)}")

    def send(token: str) -> Any:
        def ask() -> Any:
            path = f"/api/vouchers/{sale_of_two.pk}/seckill"
            return asgi_client.send_request(door, path, headers=[bearer, ("idempotency-key", token)])

        return asgi_client.run_together(ask)[0]

    numbers = [json.loads(send(token).body)["order_id"] for token in ("t0", "t1")]
    refused = send("t2")
    said = json.loads(refused.body)
    sentence = "You have this coupon 2 times, which is as many as one person may have."
    assert (refused.status, said["detail"], said["order_id"]) == (409, sentence, numbers[1])
    by_view = buyers.api_client(alice).post(
        f"/api/vouchers/{sale_of_two.pk}/seckill", headers={"idempotency-key": "t2"}
    )
    assert by_view.content.decode() == refused.body
    form = buyers.browser_client(alice).post(f"/vouchers/{sale_of_two.pk}/grab/")
    assert (form.status_code, form["location"]) == (303, f"/orders/{numbers[1]}/")


def test_an_emptied_redis_is_rebuilt_with_all_pieces(
    sale_of_two: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]
    his = grab_id(sale_of_two, bob, "t0")
    record(sale_of_two)
    lifecycle.cancel(VoucherOrder.objects.get(pk=numbers[0]))
    guarded_redis.flushall()
    assert loading.load(sale_of_two.pk)
    assert_in_step()
    assert seckill.find_order_id(sale_of_two.pk, user_id=alice.pk) is None
    assert seckill.find_order_id(sale_of_two.pk, user_id=alice.pk, piece=1) == numbers[1]
    assert grab_id(sale_of_two, alice, "t1") == numbers[1]
    assert outcomes(grab(sale_of_two, alice, "t2"), grab(sale_of_two, alice, "t3")) == [
        Outcome.ACCEPTED,
        Outcome.ALREADY_BOUGHT,
    ]
    assert outcomes(grab(sale_of_two, bob, "t1"), grab(sale_of_two, bob, "t2")) == [
        Outcome.ACCEPTED,
        Outcome.ALREADY_BOUGHT,
    ]
    record(sale_of_two)
    assert his in pieces(bob).values()
    assert_in_step()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_lost_orders_come_back_by_their_receipts_in_any_order(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis, order: tuple[int, int]
) -> None:
    made = [
        receipts.Receipt(grab_id(sale_of_two, alice, f"t{n}"), alice.pk, sale_of_two.pk, 1, f"t{n}")
        for n in range(2)
    ]
    guarded_redis.flushall()
    loading.load(sale_of_two.pk)
    for number in (*order, *order):
        answer = buyers.api_client(alice).post(
            f"/api/vouchers/{sale_of_two.pk}/seckill",
            {"receipt": made[number].text},
            content_type="application/json",
        )
        assert (answer.status_code, answer.json()["order_id"]) == (201, str(made[number].order_id))
    record(sale_of_two)
    assert set(pieces(alice).values()) == {one.order_id for one in made}
    assert set(pieces(alice)) == {0, 1}
    assert_in_step()


def test_a_receipt_has_no_place_when_one_has_enough_again(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    lost = receipts.Receipt(grab_id(sale_of_two, alice, "t0"), alice.pk, sale_of_two.pk, 1, "t0")
    guarded_redis.flushall()
    loading.load(sale_of_two.pk)
    assert grab_id(sale_of_two, alice, "t0") != lost.order_id, "the same request, claimed anew"
    answer = buyers.api_client(alice).post(
        f"/api/vouchers/{sale_of_two.pk}/seckill", {"receipt": lost.text}, content_type="application/json"
    )
    assert answer.json()["code"] == "already_bought", "a request makes one order"
    grab_id(sale_of_two, alice, "t1")
    record(sale_of_two)
    assert len(pieces(alice)) == 2
    assert not DeadLetter.objects.exists()
    assert_in_step()


def test_a_web_process_puts_all_pieces_back(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    receipts.forget_claims()
    program = buyers.api_client(alice)
    numbers = [
        int(program.post(f"/api/vouchers/{sale_of_two.pk}/seckill").json()["order_id"]) for _ in range(2)
    ]
    guarded_redis.flushall()
    loading.load(sale_of_two.pk)
    FlashSale.objects.update(lost_at=timezone.now())
    lost_sales.ProcessHandIns().look()
    record(sale_of_two)
    assert sorted(pieces(alice).values()) == numbers
    assert_in_step()
    receipts.forget_claims()


def test_a_dead_letter_of_a_second_one_gives_its_unit_back_and_can_be_replayed(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    grab_id(sale_of_two, alice, "t0")
    record(sale_of_two)
    second = grab_id(sale_of_two, alice, "t1")
    held = keys.for_sale(sale_of_two.pk)
    [(entry_id, fields)] = entries.iter_raw_entries(held.orders)
    letter = dead_letters.record_failure(held.orders, entry_id, fields, reason="by hand", deliveries=5)
    guarded_redis.delete(held.orders, held.queued)
    assert seckill.read_stock(sale_of_two.pk) == 9
    assert letter
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    record(sale_of_two)
    assert pieces(alice)[1] == second
    assert_in_step()


def test_an_entry_of_the_release_before_is_a_first_one(sale_of_two: FlashSale, alice: User) -> None:
    order_id = grab_id(sale_of_two, alice, "t0")
    [fields] = buyers.list_waiting(sale_of_two)
    assert "piece" not in fields
    assert entries.parse(fields).piece == entries.parse(fields | {"piece": "0"}).piece == 0
    record(sale_of_two)
    assert pieces(alice) == {0: order_id}


def test_an_entry_with_a_strange_piece_is_set_aside(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    good = grab_id(sale_of_two, alice, "t0")
    held = keys.for_sale(sale_of_two.pk)
    [fields] = buyers.list_waiting(sale_of_two)
    for number, wrong in enumerate(["", "-1", "20", "99999", "１", "x", "1.5"], start=1):
        strange: Any = fields | {"order": str(good + 32 * number), "piece": wrong}
        guarded_redis.xadd(held.orders, strange)
    buyers.drain_queue()
    assert pieces(alice) == {0: good}
    letters = DeadLetter.objects.all()
    assert len(letters) == 7
    assert all("piece is" in letter.reason for letter in letters)


def test_a_forged_entry_takes_no_free_place(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    grab_id(sale_of_two, alice, "t0")
    held = keys.for_sale(sale_of_two.pk)
    [fields] = buyers.list_waiting(sale_of_two)
    forged: Any = {"order": str(int(fields["order"]) + 32), "token": "forged", "signature": "0" * 32}
    guarded_redis.xadd(held.orders, fields | forged | {"piece": "1"})
    buyers.drain_queue()
    assert set(pieces(alice)) == {0}
    assert "forged" in DeadLetter.objects.get().reason


def test_a_sale_that_the_release_before_loaded_sells_one_each_until_it_is_loaded_again(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    """It knows no limit, and of a person's orders only the last."""
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]
    record(sale_of_two)
    held = keys.for_sale(sale_of_two.pk)
    guarded_redis.hdel(held.sale, "per_person")
    guarded_redis.hdel(held.buyers, f"{alice.pk}/1")
    guarded_redis.hset(held.buyers, str(alice.pk), f"{numbers[1]}:t1")
    assert grab(sale_of_two, alice, "t2") == ClaimAnswer(Outcome.ALREADY_BOUGHT, numbers[1])
    assert grab_id(sale_of_two, alice, "t1") == numbers[1]
    assert reconciliation.run(fix=True).clean
    assert grab_id(sale_of_two, alice, "t0") == numbers[0]
    assert_in_step()


def test_a_sale_of_one_each_that_the_release_before_loaded_is_in_step(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    guarded_redis.hdel(keys.for_sale(sale.pk).sale, "per_person")
    grab_id(sale, alice, "t0")
    assert grab(sale, alice, "t1").outcome is Outcome.ALREADY_BOUGHT
    assert_in_step()


def test_replicas_have_every_piece(sale_of_two: FlashSale, alice: User) -> None:
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]

    async def check(transport: Any, order_ids: list[int]) -> None:
        accepted = [replicas.Accepted(sale_of_two.pk, alice.pk, number, 2) for number in order_ids]
        replies = await transport.execute_many(replicas._commands([accepted]))
        replicas._check([accepted], [*replies[:-1], 0])

    transport.run_blocking(client.get(), check, numbers)
    with pytest.raises(client.UNAVAILABLE):
        transport.run_blocking(client.get(), check, [numbers[0], numbers[1] + 32])


# How many one may have is changed.


def terms(sale: FlashSale, per_person: int) -> Terms:
    return Terms(sale.stock_total, sale.begins_at, sale.ends_at, per_person)


def test_it_is_raised_while_the_sale_runs(sale: FlashSale, alice: User) -> None:
    first = grab_id(sale, alice, "t0")
    assert grab(sale, alice, "t1").outcome is Outcome.ALREADY_BOUGHT
    sales.change(sale.pk, terms(sale, 2))
    assert grab_id(sale, alice, "t1") != first
    assert grab(sale, alice, "t2").outcome is Outcome.ALREADY_BOUGHT
    record(sale)
    assert_in_step()


def test_it_is_lowered_only_before_the_sale_begins(
    sale_of_two: FlashSale, make_sale: MakeSale, alice: User
) -> None:
    for _ in range(2):
        with pytest.raises(ValidationError) as refused:
            sales.change(sale_of_two.pk, terms(sale_of_two, 1))
        assert "per_person" in refused.value.message_dict
    assert Voucher.objects.get(pk=sale_of_two.pk).per_person == 2
    coming = make_sale(begins_in=3_600, voucher__per_person=3)
    sales.change(coming.pk, terms(coming, 1))
    assert Voucher.objects.get(pk=coming.pk).per_person == 1
    assert_in_step()


def test_it_is_one_to_twenty(sale: FlashSale) -> None:
    for wrong in (0, -1, 21, 10**9):
        with pytest.raises(ValidationError) as refused:
            sales.change(sale.pk, terms(sale, wrong))
        assert "per_person" in refused.value.message_dict


def test_the_forms_take_one_to_twenty(sale: FlashSale) -> None:
    values = {"": True, "1": True, "20": True, "0": False, "21": False, "-1": False, "x": False, "1.5": False}
    for value, is_fine in values.items():
        for form in (NewSaleForm({"per_person": value}), TermsForm({"per_person": value}, sale=sale)):
            form.is_valid()
            assert ("per_person" not in form.errors) is is_fine, value


def test_a_form_of_the_voucher_that_was_open_meanwhile_leaves_it(sale_of_two: FlashSale) -> None:
    opened = Voucher.objects.select_related("sale").get(pk=sale_of_two.pk)
    sales.change(sale_of_two.pk, terms(sale_of_two, 3))
    opened.title_en = "Another title"
    vouchers.save(opened, changed={"title_en"})
    kept = Voucher.objects.get(pk=sale_of_two.pk)
    assert (kept.title_en, kept.per_person) == ("Another title", 3)
    assert_in_step()


def test_a_sale_is_made_with_it(voucher: Voucher, alice: User) -> None:
    now = timezone.now()
    sale = sales.create(voucher, Terms(5, now, now + timedelta(hours=1), per_person=2))
    assert Voucher.objects.get(pk=sale.pk).per_person == 2
    assert outcomes(*(grab(sale, alice, f"t{number}") for number in range(3))) == [
        *[Outcome.ACCEPTED] * 2,
        Outcome.ALREADY_BOUGHT,
    ]
    assert NewSaleForm.copy_of(sale).initial["per_person"] == 2


# What pages say.


def test_the_page_offers_another_until_there_are_enough(
    sale_of_two: FlashSale, alice: User, bob: User, client: Client
) -> None:
    page = client.get(f"/vouchers/{sale_of_two.pk}/").content.decode()
    assert "10 units, up to 2 for each person" in " ".join(page.split())
    browser = buyers.browser_client(alice)

    def own() -> tuple[str | None, list[tuple[str, str]]]:
        part = browser.get("/api/me/page", {"sale": sale_of_two.pk}).json()["sale"]
        return part["order_id"], [(one["id"], one["status"]) for one in part["orders"]]

    assert own() == (None, [])
    first = grab_id(sale_of_two, alice, "t0")
    assert own() == (None, [(str(first), "queued")])
    record(sale_of_two)
    second = grab_id(sale_of_two, alice, "t1")
    both = [(str(first), "unpaid"), (str(second), "queued")]
    assert own() == (str(second), both)
    record(sale_of_two)
    lifecycle.cancel(VoucherOrder.objects.get(pk=first))
    assert own() == (None, [(str(second), "unpaid")]), "also while the first place is free"
    other = buyers.browser_client(bob).get("/api/me/page", {"sale": sale_of_two.pk}).json()["sale"]
    assert (other["order_id"], other["orders"], other["left"]) == (None, [], 9)


def test_without_redis_the_page_says_what_sql_knows(
    sale_of_two: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    numbers = [grab_id(sale_of_two, alice, token) for token in ("t0", "t1")]
    record(sale_of_two)
    guarded_redis.delete(keys.for_sale(sale_of_two.pk).sale)
    browser = buyers.browser_client(alice)
    part = browser.get("/api/me/page", {"sale": sale_of_two.pk}).json()["sale"]
    assert part["order_id"] == str(numbers[1])
    assert [one["id"] for one in part["orders"]] == [str(number) for number in numbers]
