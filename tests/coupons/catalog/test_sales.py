from datetime import timedelta

import pytest
import redis
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.catalog import sales
from apps.coupons.claims import entries, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.orders import recording
from apps.coupons.reconcile import reconciliation
from apps.coupons.terms import MAX_STOCK, Terms
from apps.redis_kit import client

pytestmark = pytest.mark.django_db(transaction=True)


def terms(sale: FlashSale, **changes: object) -> Terms:
    kept = {"units": sale.stock_total, "begins_at": sale.begins_at, "ends_at": sale.ends_at}
    return Terms(**(kept | changes))  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_a_new_sale_is_loaded_when_it_is_saved(voucher: Voucher) -> None:
    now = timezone.now()
    sale = sales.create(voucher, Terms(5, now, now + timedelta(hours=1)))
    assert seckill.read_stock(sale.pk) == 5


@pytest.mark.parametrize("units", [0, -1, MAX_STOCK + 1])
def test_a_sale_needs_a_sensible_number_of_units(voucher: Voucher, units: int) -> None:
    now = timezone.now()
    with pytest.raises(ValidationError) as refused:
        sales.create(voucher, Terms(units, now, now + timedelta(hours=1)))
    assert "units" in refused.value.message_dict


def test_more_units_reach_both_sides_by_the_difference(sale: FlashSale, alice: User) -> None:
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    sales.change(sale.pk, terms(sale, units=15))
    sale.refresh_from_db()
    assert (sale.stock_total, sale.stock_left, seckill.read_stock(sale.pk)) == (15, 15, 14)
    assert reconciliation.run().clean


def test_fewer_units_never_undo_what_is_sold(sale: FlashSale, alice: User, bob: User) -> None:
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    with pytest.raises(ValidationError) as refused:
        sales.change(sale.pk, terms(sale, units=1))
    assert "units" in refused.value.message_dict
    assert seckill.read_stock(sale.pk) == 8
    sales.change(sale.pk, terms(sale, units=2))
    assert seckill.read_stock(sale.pk) == 0
    recording.record(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    sale.refresh_from_db()
    assert (sale.stock_total, sale.stock_left) == (2, 0)


def test_a_changed_window_counts_at_once(sale: FlashSale) -> None:
    sales.change(sale.pk, terms(sale, ends_at=timezone.now() + timedelta(days=2)))
    later = int(client.get().hget(keys.for_sale(sale.pk).sale, "ends") or 0)
    assert later > (timezone.now() + timedelta(days=1)).timestamp() * 1000
    with pytest.raises(ValidationError):
        sales.change(sale.pk, terms(sale, begins_at=timezone.now()))
    with pytest.raises(ValidationError):
        sales.change(sale.pk, terms(sale, ends_at=timezone.now() - timedelta(seconds=1)))


def test_what_a_sale_keeps_leaves_with_its_new_end(sale: FlashSale, alice: User, bob: User) -> None:
    held, hour = keys.for_sale(sale.pk), 3_600
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    sales.change(sale.pk, terms(sale, ends_at=timezone.now() + timedelta(days=9)))
    seckill.claim(sale.pk, user_id=bob.pk, request_token="t")
    wanted = 9 * 86_400 + keys.RETENTION_AFTER_END_SECONDS
    for key in (held.sale, held.stock, held.buyers):
        assert wanted - hour < client.get().ttl(key) <= wanted


def test_an_edit_that_sql_refuses_leaves_redis_in_step(
    sale: FlashSale, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: FlashSale, *args: object, **options: object) -> None:
        raise RuntimeError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(FlashSale, "save", refuse)
        with pytest.raises(RuntimeError, match="disk full"):
            sales.change(sale.pk, terms(sale, units=4))
    sale.refresh_from_db()
    assert sale.stock_total == 10
    assert seckill.read_stock(sale.pk) == 10


def test_an_edit_of_a_sale_that_redis_lost_loads_it(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    guarded_redis.flushall()
    sales.change(sale.pk, terms(sale, units=12))
    assert seckill.read_stock(sale.pk) == 12


def test_the_api_says_how_many_units_are_left(sale: FlashSale) -> None:
    seckill.claim(sale.pk, user_id=1, request_token="t")
    assert Client().get(f"/api/vouchers/{sale.pk}/stock").json() == {"left": 9, "total": 10}
    sales.withdraw(sale.voucher)
    assert Client().get(f"/api/vouchers/{sale.pk}/stock").status_code == 404


def test_withdrawing_closes_the_gate_and_offering_again_opens_it(sale: FlashSale) -> None:
    sales.withdraw(sale.voucher)
    assert seckill.claim(sale.pk, user_id=1, request_token="t").outcome is Outcome.NOT_FOUND
    sales.offer_again(sale.voucher)
    assert seckill.claim(sale.pk, user_id=1, request_token="t").outcome is Outcome.ACCEPTED


def test_with_redis_away_more_units_are_saved_and_fewer_are_refused(
    sale: FlashSale, settings: Settings
) -> None:
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = there | {"default": there["default"] | {"url": "redis://127.0.0.1:1"}}
    client.close_all()
    try:
        sales.change(sale.pk, terms(sale, units=12))
        with pytest.raises(client.UNAVAILABLE):
            sales.change(sale.pk, terms(sale, units=9))
    finally:
        settings.REDIS_CONNECTIONS = there
        client.close_all()
    sale.refresh_from_db()
    assert sale.stock_total == 12
    assert reconciliation.run(fix=True).clean
    assert seckill.read_stock(sale.pk) == 12
