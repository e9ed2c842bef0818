"""Dead letters, reconciliation and orders in the admin: a dialog asks, its POST does it, GET never does."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.catalog import offers
from apps.coupons.claims import seckill
from apps.coupons.models import DeadLetter, FlashSale, Reconciliation, Status, VoucherOrder
from apps.coupons.orders import dead_letters, queued_orders
from apps.redis_kit import client as redis_client
from tests.coupons import buyers

CONFIRMED = {"_form_submitted": "True"}


@pytest.fixture
def dead_letter(sale: FlashSale, alice: User) -> DeadLetter:
    """Alice's accepted order, set aside: its unit is back on sale."""
    seckill.claim(sale.pk, user_id=alice.pk, request_token="a")
    stream = keys.for_sale(sale.pk).orders
    entries: Any = redis_client.get().xrange(stream)
    entry_id, fields = entries[0]
    made = dead_letters.record_failure(stream, entry_id, fields, reason="Refused: odd", deliveries=5)
    redis_client.get().delete(stream, keys.for_sale(sale.pk).queued)
    assert made
    return made


@pytest.mark.django_db(transaction=True)
def test_a_dead_letter_shows_its_reason_and_its_entry(boss: Client, dead_letter: DeadLetter) -> None:
    page = boss.get(f"/admin/coupons/deadletter/{dead_letter.pk}/change/").content.decode()
    assert "Refused: odd" in page
    assert f"&quot;order&quot;: &quot;{dead_letter.order_id}&quot;" in page


@pytest.mark.django_db(transaction=True)
def test_a_replayed_letter_is_in_the_queue_again(
    boss: Client, dead_letter: DeadLetter, sale: FlashSale
) -> None:
    url = f"/admin/coupons/deadletter/{dead_letter.pk}/replay/"
    assert b"Replay this order?" in boss.get(url).content
    assert offers.read_live_states([sale])[sale.pk].units == 10, "asking changes nothing"
    boss.post(url, CONFIRMED)
    dead_letter.refresh_from_db()
    assert dead_letter.order_id
    assert dead_letter.replayed_at
    assert queued_orders.find(dead_letter.order_id)
    assert offers.read_live_states([sale])[sale.pk].units == 9


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_letter_without_a_unit_left_says_so_and_stays(
    boss: Client, dead_letter: DeadLetter, sale: FlashSale
) -> None:
    redis_client.get().set(keys.for_sale(sale.pk).stock, "0", keepttl=True)
    answer = boss.post(f"/admin/coupons/deadletter/{dead_letter.pk}/replay/", CONFIRMED, follow=True)
    dead_letter.refresh_from_db()
    assert "no unit is left for it" in answer.content.decode()
    assert dead_letter.replayed_at is None


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_chosen_letters_are_replayed_and_the_hopeless_counted(boss: Client, dead_letter: DeadLetter) -> None:
    hopeless = dead_letters.record_failure(dead_letter.stream, "9-9", {"v": "9"}, reason="odd", deliveries=5)
    assert hopeless
    chosen = {"action": "replay_chosen", "_selected_action": [dead_letter.pk, hopeless.pk]}
    page = boss.post("/admin/coupons/deadletter/", chosen, follow=True).content.decode()
    assert "1 order is back in the queue." in page
    assert "the entry says no order" in page


@pytest.mark.django_db(transaction=True)
def test_run_now_keeps_a_verdict_and_repairs_nothing(boss: Client, sale: FlashSale) -> None:
    redis_client.get().set(keys.for_sale(sale.pk).stock, "3", keepttl=True)
    boss.post("/admin/coupons/reconciliation/run-now/", CONFIRMED)
    verdict = Reconciliation.objects.get()
    assert verdict.violations
    assert offers.read_live_states([sale])[sale.pk].units == 3


@pytest.mark.django_db(transaction=True)
def test_run_and_repair_brings_redis_back_in_step(boss: Client, sale: FlashSale) -> None:
    redis_client.get().set(keys.for_sale(sale.pk).stock, "3", keepttl=True)
    boss.post("/admin/coupons/reconciliation/run-and-repair/", CONFIRMED)
    sale.refresh_from_db()
    assert offers.read_live_states([sale])[sale.pk].units == 10
    assert (Reconciliation.objects.get().violations, Reconciliation.objects.get().fixed) == ([], 1)


@pytest.mark.django_db(transaction=True)
def test_cancelling_an_order_gives_its_unit_back_once(boss: Client, sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    url = f"/admin/coupons/voucherorder/{order.pk}/cancel-order/"
    boss.post(url, CONFIRMED)
    again = boss.post(url, CONFIRMED)
    order.refresh_from_db()
    sale.refresh_from_db()
    assert (order.status, sale.stock_left, offers.read_live_states([sale])[sale.pk].units) == (
        Status.CANCELLED,
        10,
        10,
    )
    assert again.status_code == 403, "there is nothing left to cancel"


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_orders_are_found_by_number_and_by_phone(boss: Client, sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    for words in (str(order.pk), "138 0000 0001", alice.phone, "half price"):
        found = boss.get("/admin/coupons/voucherorder/", {"q": words})
        assert [row.pk for row in found.context["cl"].result_list] == [order.pk], words
    assert not boss.get("/admin/coupons/voucherorder/", {"q": "9" * 30}).context["cl"].result_list


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_an_order_shows_no_redeem_code(boss: Client, sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    page = boss.get(f"/admin/coupons/voucherorder/{order.pk}/change/").content.decode()
    assert order.redeem_code not in page
    assert VoucherOrder.objects.count() == 1
