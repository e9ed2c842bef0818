from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
import redis
from django.db import connection

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import purchases
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale
from apps.coupons.orders import lifecycle, recording
from apps.coupons.reconcile import reconciliation
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.sites import wait_until
from tests.timing import best_seconds


def claim(sale: FlashSale, user_id: int, token: str = "t") -> seckill.ClaimAnswer:
    return seckill.claim(sale.pk, user_id=user_id, request_token=token)


@pytest.mark.both_databases
def test_loading_twice_changes_nothing(sale: FlashSale, alice: User) -> None:
    claim(sale, alice.pk)
    assert loading.load(sale.pk) is False
    assert seckill.read_stock(sale.pk) == 9


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_admins_load_a_sale_once(make_sale: MakeSale) -> None:
    sale = make_sale(loaded=False)

    def load(_: int) -> bool:
        try:
            return loading.load(sale.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        done = list(pool.map(load, range(5)))
    sale.refresh_from_db()
    assert (sum(done), sale.epoch, seckill.read_stock(sale.pk)) == (1, 1, 10)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_claim_on_a_sale_that_is_not_loaded_opens_it_within_a_second(make_sale: MakeSale) -> None:
    def sell_one() -> None:
        sale = make_sale(loaded=False)
        with pytest.raises(Problem) as refused:
            purchases.claim_unit(sale.pk, user_id=1, request_token="t")
        assert refused.value.code == "not_ready"
        wait_until(lambda: claim(sale, 1).outcome is Outcome.ACCEPTED, seconds=60, every=0.01)

    assert best_seconds(sell_one, below=1) < 1


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_an_unknown_voucher_is_known_to_be_unknown() -> None:
    loading.load(987_654)
    assert seckill.claim(987_654, user_id=1, request_token="t").outcome is Outcome.NOT_FOUND


@pytest.mark.both_databases
def test_a_sale_made_after_its_absence_was_noted_opens_at_once(make_sale: MakeSale) -> None:
    sale = make_sale(loaded=False)
    loading.close_gate(sale.pk, state="absent")
    assert loading.load(sale.pk) is True
    assert claim(sale, 1).outcome is Outcome.ACCEPTED


@pytest.mark.both_databases
def test_after_a_flush_rows_and_gate_come_back(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    first = claim(sale, alice.pk)
    recording.record(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    guarded_redis.flushall()
    assert loading.rebuild(lambda done, total: None) == 1
    assert seckill.read_stock(sale.pk) == 9
    assert claim(sale, alice.pk, "other") == seckill.ClaimAnswer(Outcome.ALREADY_BOUGHT, first.order_id)
    again = claim(sale, bob.pk)
    assert again.outcome is Outcome.ACCEPTED
    assert (again.order_id or 0) > (first.order_id or 0)


@pytest.mark.both_databases
def test_orders_in_flight_stay_taken_when_a_sale_is_loaded_again(sale: FlashSale, alice: User) -> None:
    first = claim(sale, alice.pk)
    assert loading.load(sale.pk, force=True) is True
    assert seckill.read_stock(sale.pk) == 9
    assert claim(sale, alice.pk) == first


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_cancellation_waits_until_the_load_has_counted_and_opened(
    sale: FlashSale, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, close_gate = buyers.create_order(sale, alice), loading.close_gate

    def cancel() -> None:
        try:
            lifecycle.cancel(order)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:

        def close_and_linger(*closed: Any) -> int:
            epoch = close_gate(*closed)
            # Nothing tells that somebody waits for a row: one that doesn't wait is through in this time.
            wait([pool.submit(cancel)], timeout=2)
            return epoch

        monkeypatch.setattr(loading, "close_gate", close_and_linger)
        assert loading.load(sale.pk, force=True)
    assert seckill.read_stock(sale.pk) == 10
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) is None
    assert reconciliation.run().clean


@pytest.mark.both_databases
def test_a_load_that_another_overtook_leaves_the_gate_as_it_is(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    held = keys.for_sale(sale.pk)
    claim(sale, alice.pk)
    stale = [held.sale, held.stock, held.buyers, held.released, held.ids, f"{held.sale}:a", f"{held.sale}:b"]
    args = [10, 0, 1, sale.epoch, 0, 4_000_000_000, 0]
    assert loading.OPEN_GATE(guarded_redis, keys=stale, args=args) is False
    assert seckill.read_stock(sale.pk) == 9


@pytest.mark.both_databases
def test_a_withdrawn_voucher_is_not_found(sale: FlashSale) -> None:
    sale.voucher.is_offered = False
    sale.voucher.save()
    loading.load(sale.pk, force=True)
    assert claim(sale, 1).outcome is Outcome.NOT_FOUND
