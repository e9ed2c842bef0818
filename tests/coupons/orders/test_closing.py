"""Deadlines: whole seconds, one delayed job for each, closed promptly; the sweep when it is lost."""

import logging
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import Task
from celery.signals import task_prerun
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import tasks
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import closing, lifecycle, returns
from apps.queues import delayed, keys
from apps.queues.delayed import Priority
from apps.redis_kit import client
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker_away(settings: Settings) -> Iterator[None]:
    """Nobody listens where Celery's broker should be."""
    there = settings.REDIS_CONNECTIONS
    away = there[delayed.BROKER_CONNECTION] | {"url": "unix:///nowhere/redis.sock"}
    settings.REDIS_CONNECTIONS = there | {delayed.BROKER_CONNECTION: away}
    client.close_all()
    yield
    settings.REDIS_CONNECTIONS = there
    client.close_all()


@pytest.fixture(autouse=True)
def nothing_scheduled(monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier test's seconds may be this one's."""
    monkeypatch.setattr(closing, "_scheduled_seconds", deque(maxlen=8))


def read_jobs() -> list[str]:
    found = client.get(delayed.BROKER_CONNECTION).zrange(keys.DELAYED_DUE(), 0, -1)
    assert isinstance(found, list)
    return [str(key) for key in found]


def job_key(order: VoucherOrder) -> str:
    return f"orders:close:{int(order.pay_deadline.timestamp())}"


def test_a_deadline_is_a_whole_second_and_never_too_soon(settings: Settings) -> None:
    settings.PAY_WITHIN = timedelta(seconds=2)
    before = timezone.now()
    deadline = closing.payment_deadline()
    assert deadline.microsecond == 0
    assert before + timedelta(seconds=2) < deadline <= timezone.now() + timedelta(seconds=3)


def test_a_recorded_order_has_a_job_at_its_deadline(sale: FlashSale, alice: User) -> None:
    order = buyers.create_order(sale, alice)
    job = delayed.find_job(job_key(order))
    assert job
    assert (job.task, job.args, job.at, job.priority) == (
        tasks.close_overdue_orders.name,
        [],
        order.pay_deadline,
        Priority.HIGH,
    )


def test_an_ordinary_voucher_has_one_too(voucher: Voucher, alice: User) -> None:
    order = lifecycle.create_order(voucher, user=alice, request_token="t")
    assert delayed.find_job(job_key(order))


def test_all_orders_of_a_second_share_a_job(make_sale: MakeSale) -> None:
    sale = make_sale(units=30)
    for user in UserFactory.bulk_create(30):
        buyers.create_order(sale, user)
    due = {job_key(order) for order in VoucherOrder.objects.all()}
    assert set(read_jobs()) == due
    assert len(due) < 30


def test_without_the_broker_orders_are_recorded_and_the_sweep_closes_them(
    sale: FlashSale, alice: User, broker_away: None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        order = buyers.create_order(sale, alice)
    assert "left to the sweep" in caplog.text
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert tasks.close_overdue_orders() == 1
    order.refresh_from_db()
    assert order.status == Status.CANCELLED
    assert seckill.read_stock(sale.pk) == 10


@pytest.mark.both_databases
def test_the_sweep_closes_more_than_one_look_takes(make_sale: MakeSale) -> None:
    sale = make_sale(units=1_200)
    people = UserFactory.bulk_create(1_200)
    last = [buyers.queue_order(sale, user) for user in people][-1]
    buyers.record_order(sale, last)
    VoucherOrder.objects.update(pay_deadline=datetime(2026, 1, 1, tzinfo=UTC))
    assert lifecycle.close_overdue() == 1_200
    assert seckill.read_stock(sale.pk) == 1_200


def test_a_run_leaves_the_rest_to_another_behind_the_tasks_that_wait(
    make_sale: MakeSale, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "MAX_BATCH_ORDERS", 2)
    monkeypatch.setattr(closing, "SLICE_SECONDS", 0)
    sale = make_sale(units=5)
    last = [buyers.queue_order(sale, user) for user in UserFactory.bulk_create(5)][-1]
    buyers.record_order(sale, last)
    VoucherOrder.objects.update(pay_deadline=datetime(2026, 1, 1, tzinfo=UTC))
    further: list[str] = []

    def note(sender: Task[Any, Any], **_: object) -> None:
        further.append(sender.name)

    task_prerun.connect(note)
    try:
        # In tests a task runs where it is enqueued.
        assert tasks.close_overdue_orders() == 2
    finally:
        task_prerun.disconnect(note)
    assert further == [tasks.close_overdue_orders.name] * 3
    assert not VoucherOrder.objects.filter(status=Status.UNPAID).exists()
    assert seckill.read_stock(sale.pk) == 5


def test_units_of_a_batch_return_once_however_often_they_are_released(make_sale: MakeSale) -> None:
    sale, other = make_sale(units=3), make_sale(units=1)
    alice, bob, charlie = UserFactory.bulk_create(3)
    units = [
        returns.Unit(one.pk, user.pk, buyers.queue_order(one, user))
        for one, user in ((sale, alice), (other, alice), (sale, bob))
    ]
    # Of another order than the person holds, and of somebody who holds none.
    wrong = [units[0]._replace(order_id=units[0].order_id + 32), returns.Unit(sale.pk, charlie.pk, 7)]
    assert returns.release_many_in_redis([*wrong, *units, units[0]]) == 3
    assert returns.release_many_in_redis(units) == 0
    assert (seckill.read_stock(sale.pk), seckill.read_stock(other.pk)) == (3, 1)
