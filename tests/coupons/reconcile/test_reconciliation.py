import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import pytest
import redis
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys, tasks
from apps.coupons.catalog import findable_sales
from apps.coupons.claims import entries, seckill
from apps.coupons.models import FlashSale, Reconciliation, Status, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle, queued_orders, recording
from apps.coupons.reconcile import queues, reconciliation, sale_invariants
from apps.outbox.models import Message
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sold(sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis) -> FlashSale:
    """Two rows, one of them cancelled, nothing in flight."""
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    held = keys.for_sale(sale.pk)
    recording.record(entries.iter_waiting_orders(held.orders))
    guarded_redis.delete(held.orders, held.queued)
    lifecycle.cancel(VoucherOrder.objects.get(user=bob))
    return sale


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciliation, "PAUSE_SECONDS", 0.01)


def broken_rules(*, fix: bool = False) -> set[str]:
    return {one.rule for one in reconciliation.run(fix=fix).violations}


def test_a_healthy_sale_is_clean(sold: FlashSale) -> None:
    assert reconciliation.run().as_dict()["clean"] is True


def test_a_sale_with_orders_in_flight_is_clean(sale: FlashSale, alice: User) -> None:
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    assert reconciliation.run().clean


def test_orders_of_the_moment_between_two_reads_are_clean(
    sold: FlashSale, bob: User, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Buyers of a sale are read in slices: one who comes and one who goes meanwhile are no finding."""
    read, held = sale_invariants._read_in_slices, keys.for_sale(sold.pk)

    def read_then_move(key: str) -> dict[str, str]:
        found = read(key)
        if key == held.buyers:
            seckill.claim(sold.pk, user_id=bob.pk, request_token="again")
            recording.record(entries.iter_waiting_orders(held.orders))
        else:
            lifecycle.cancel(VoucherOrder.objects.get(user=alice))
        return found

    monkeypatch.setattr(sale_invariants, "_read_in_slices", read_then_move)
    sold.refresh_from_db()
    assert list(sale_invariants.check_redis(sold, cast(Any, sale_invariants.read_snapshot(sold.pk)))) == []
    assert VoucherOrder.objects.get(user=alice).status == Status.CANCELLED


Plant = Callable[[FlashSale, redis.Redis], object]


def _plant_list(server: redis.Redis, key: str) -> None:
    server.delete(key)
    server.rpush(key, "planted")


def _plant_refund_without_return(sale: FlashSale) -> None:
    order = VoucherOrder.objects.filter(voucher_id=sale.pk).active()[0]
    VoucherOrder.objects.filter(pk=order.pk).update(status=Status.REFUNDED)


@pytest.mark.parametrize(
    ("rule", "plant"),
    [
        ("I5 stock doesn't add up", lambda sale, server: server.incr(keys.for_sale(sale.pk).stock)),
        ("I6 buyers differ", lambda sale, server: server.hset(keys.for_sale(sale.pk).buyers, "99", "1:t")),
        (
            "I10 stock not a number",
            lambda sale, server: server.set(keys.for_sale(sale.pk).stock, "-3", keepttl=True),
        ),
        ("I10 stock not a number", lambda sale, server: _plant_list(server, keys.for_sale(sale.pk).buyers)),
        ("I10 stock not a number", lambda sale, server: _plant_list(server, keys.for_sale(sale.pk).sale)),
        ("I18 sold counter", lambda sale, server: FlashSale.objects.update(stock_left=3)),
        ("I7 return not once", lambda sale, server: StockLedger.objects.all().delete()),
        ("I7 return not once", lambda sale, server: _plant_refund_without_return(sale)),
        (
            "I12 unpaid past deadline",
            lambda sale, server: VoucherOrder.objects.update(
                pay_deadline=timezone.now() - timedelta(minutes=1)
            ),
        ),
    ],
)
def test_a_planted_fault_is_found_and_repaired(
    sold: FlashSale, guarded_redis: redis.Redis, rule: str, plant: Plant
) -> None:
    plant(sold, guarded_redis)
    assert rule in broken_rules()
    assert broken_rules(fix=True) == set()
    assert broken_rules() == set()


def test_a_sale_of_which_redis_holds_nothing_is_no_finding(
    sold: FlashSale, guarded_redis: redis.Redis
) -> None:
    """After a loss, with no consumer that loads it: its first claim does."""
    guarded_redis.flushall()
    assert reconciliation.run().clean
    guarded_redis.set(keys.for_sale(sold.pk).stock, 3, ex=60)
    assert "I27 gate" in broken_rules()


def test_an_order_that_no_consumer_takes_is_found(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    held = keys.for_sale(sale.pk)
    seckill.claim(sale.pk, user_id=7, request_token="t")
    (_, fields), *_ = entries.iter_raw_entries(held.orders)
    guarded_redis.delete(held.orders)
    minute_ago = int((timezone.now() - timedelta(seconds=61)).timestamp() * 1000)
    guarded_redis.xadd(held.orders, cast(Any, fields), id=f"{minute_ago}-0")
    assert broken_rules() == {"I14 waiting too long"}


def test_queued_orders_are_written_anew_from_entries_of_one_and_of_several(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=10)
    held = keys.for_sale(sale.pk)
    seckill.claim_many({sale.pk: [(7, "t"), (8, "t"), (9, "t")]})
    (alone, *_) = buyers.list_waiting(sale)
    guarded_redis.xadd(held.orders, cast(Any, alone | {"order": "5", "user": "6"}))
    guarded_redis.xadd(held.orders, cast(Any, {"v": "2", "voucher": "1", "at": "1", "orders": " : :: x"}))
    before: Any = guarded_redis.hgetall(held.queued)
    guarded_redis.hset(held.queued, mapping={"1": "1:1:1", next(iter(before)): "wrong"})
    queues.repair(keys.partition_of(sale.pk))
    repaired: Any = guarded_redis.hgetall(held.queued)
    assert before.items() <= repaired.items()
    assert repaired["5"] == f"{sale.pk}:6:{alone['at']}"
    assert "1" not in repaired
    queued_orders.rebuild(lambda done, total: None)
    assert guarded_redis.hgetall(held.queued) == before | {"5": repaired["5"]}
    assert "I30 queued differ" not in broken_rules()


def test_oversold_and_doubled_orders_are_found(sold: FlashSale) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX one_active_order_per_voucher")
    try:
        row = VoucherOrder.objects.active().get()
        row.pk, row.token, row.redeem_code = row.pk + 1, "other", "other"
        row.save(force_insert=True)
        FlashSale.objects.update(stock_total=1, stock_left=0)
        assert {"I1 oversold", "I2 too many for one person"} <= broken_rules()
    finally:
        row.delete()
        with connection.schema_editor() as editor:
            constraints = {one.name: one for one in VoucherOrder._meta.constraints}
            editor.add_constraint(VoucherOrder, constraints["one_active_order_per_voucher"])


def test_an_order_outside_the_window_is_found(sold: FlashSale) -> None:
    VoucherOrder.objects.update(accepted_at=sold.ends_at)
    assert "I8 outside the window" in broken_rules()


def test_managers_hear_once_an_hour_of_what_stays_wrong(sold: FlashSale, settings: Settings) -> None:
    settings.ADMINS = [("", "ops@example.org")]
    assert tasks.reconcile_sales()
    assert not Message.objects.exists()
    VoucherOrder.objects.update(accepted_at=sold.ends_at)
    for _ in range(2):
        assert not tasks.reconcile_sales()
    assert "I8 outside the window" in Message.objects.get().text


def test_the_command_says_it_as_json_and_by_its_exit_code(
    sold: FlashSale, guarded_redis: redis.Redis, capsys: pytest.CaptureFixture[str]
) -> None:
    findable_sales.update_all()
    call_command("reconcile", "--part", "coupons", "--json")
    assert json.loads(capsys.readouterr().out)["clean"] is True
    guarded_redis.incr(keys.for_sale(sold.pk).stock)
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", "--part", "coupons")
    assert ended.value.code == 1
    assert "I5" in capsys.readouterr().out
    call_command("reconcile", "--part", "coupons", "--fix")


@pytest.mark.both_databases
def test_results_are_kept_for_the_admin(sold: FlashSale, guarded_redis: redis.Redis) -> None:
    guarded_redis.incr(keys.for_sale(sold.pk).stock)
    assert reconciliation.run_and_save(fix=True).clean
    kept = Reconciliation.objects.get()
    assert (kept.sales, kept.violations, kept.fixed) == (1, [], 1)
