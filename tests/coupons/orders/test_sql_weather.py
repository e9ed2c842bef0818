"""Weather of SQL (locked, full, read-only, a deadlock, a killed connection) never makes a dead letter."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder
from apps.coupons.orders import consuming, recording
from apps.redis_kit import streams
from apps.web.problems.translation import SQL_UNAVAILABLE, translate
from tests.coupons.conftest import MakeSale
from tests.faults.server_weather import full_disk_of
from tests.sites import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
Weather = Callable[[], AbstractContextManager[None]]

#: A consumer gives an entry up after so many deliveries.
MAX_DELIVERIES = 5
is_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


@contextmanager
def read_only() -> Iterator[None]:
    """The database takes no writes, as a replica or after its disk was mounted read-only."""
    characteristics = "SET SESSION CHARACTERISTICS AS TRANSACTION"
    execute("PRAGMA query_only = ON" if is_sqlite else f"{characteristics} READ ONLY")
    yield
    execute("PRAGMA query_only = OFF" if is_sqlite else f"{characteristics} READ WRITE")


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can be written: the database can't grow."""
    if is_sqlite:
        with full_disk_of(os.getpid()):
            yield
    else:
        execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$"
        )
        execute("CREATE TRIGGER full_disk BEFORE INSERT ON coupons_voucherorder EXECUTE FUNCTION refuse()")
        try:
            yield
        finally:
            execute("DROP FUNCTION refuse CASCADE")


@contextmanager
def killed_connection() -> Iterator[None]:
    """PostgreSQL has closed the connection, and this process doesn't know yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    other.close()
    yield
    connection.close()


@pytest.fixture
def accepted(sale: FlashSale, alice: User, bob: User) -> list[entries.AcceptedOrder]:
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    return list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))


@pytest.mark.parametrize(
    "weather", [read_only, full_disk, pytest.param(killed_connection, marks=pytest.mark.postgres)]
)
def test_a_batch_fails_as_a_whole_with_an_error_that_is_waited_out(
    weather: Weather, accepted: list[entries.AcceptedOrder]
) -> None:
    with weather(), pytest.raises(SQL_UNAVAILABLE) as failure:
        recording.record(accepted)
    problem = translate(failure.value)
    assert (problem.status, problem.retry_after) == (503, 2)
    assert not VoucherOrder.objects.exists()
    assert recording.record(accepted).new == 2


@pytest.mark.parametrize("weather", [read_only, full_disk])
def test_the_backlog_waits_and_no_delivery_counts(
    weather: Weather, accepted: list[entries.AcceptedOrder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(streams, "MAX_PAUSE_SECONDS", 0.002)
    consumer, beats, storm = consuming.build_consumer(), list[int](), weather()
    consumer.round()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 2 * MAX_DELIVERIES:
            storm.__exit__(None, None, None)

    monkeypatch.setattr(consumer, "_beat", beat)
    with storm:
        consumer.round()
    assert len(beats) == 2 * MAX_DELIVERIES
    assert VoucherOrder.objects.count() == 2
    assert not DeadLetter.objects.exists()
    assert consuming.backlog() == consuming.Backlog()


@pytest.mark.postgres
def test_a_killed_connection_is_replaced(
    accepted: list[entries.AcceptedOrder],
) -> None:
    consumer = consuming.build_consumer()
    consumer.round()
    with killed_connection():
        consumer.round()
        assert VoucherOrder.objects.count() == 2
    assert not DeadLetter.objects.exists()


@pytest.mark.postgres
def test_a_deadlock_victim_is_recorded_later(make_sale: MakeSale, alice: User) -> None:
    sales = sorted([make_sale().pk, make_sale().pk])
    for sale in sales:
        seckill.claim(sale, user_id=alice.pk, request_token="t")
    waiting = [order for sale in sales for order in entries.iter_waiting_orders(keys.for_sale(sale).orders)]
    failures: list[BaseException] = []

    def record() -> None:
        try:
            # The server looks for a circle once, so long after this side has begun to wait.
            execute("SET deadlock_timeout = '3s'")
            recording.record(waiting)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    with transaction.atomic():
        execute("SET LOCAL deadlock_timeout = '60s'")
        FlashSale.objects.filter(pk=sales[1]).update(stock_left=F("stock_left"))
        victim = threading.Thread(target=record)
        victim.start()
        wait_until(count_locks_wanted_from_here, seconds=30, otherwise="the batch doesn't get so far")
        FlashSale.objects.filter(pk=sales[0]).update(stock_left=F("stock_left"))
        victim.join(60)
    assert isinstance(failures[0], SQL_UNAVAILABLE), failures
    assert recording.record(waiting).new == 2


def count_locks_wanted_from_here() -> int:
    """Return how many locks others wait for until this connection's transaction ends."""
    with connection.cursor() as cursor:
        # Not every wait in pg_locks: it shows the other databases too, where other tests run.
        cursor.execute(
            "SELECT count(*) FROM pg_locks"
            " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
        )
        return int(cursor.fetchone()[0])
