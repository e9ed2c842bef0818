"""The dashboard: an empty site has something to say, and many rows cost what none cost."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import monitoring_hooks
from apps.coupons.claims import order_ids, seckill
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.orders import consuming, dead_letters
from apps.coupons.reconcile import reconciliation
from apps.coupons.templatetags import coupons_dashboard as dashboard
from apps.redis_kit import client as redis_client
from apps.redis_kit import ids
from tests.coupons.conftest import MakeSale
from tests.factories import VoucherOrderFactory
from tests.sites import free_port


@pytest.fixture(autouse=True)
def forget_charts_before() -> None:
    """Charts are remembered for some seconds, longer than a test takes."""
    forget_charts()


def forget_charts() -> None:
    dashboard._orders_by_minute.cache_clear()
    dashboard._paid_by_day.cache_clear()
    dashboard._totals_today.cache_clear()


@pytest.fixture
def order(sale: FlashSale) -> Callable[..., VoucherOrder]:
    """order(alice, minutes_ago=5, status=PAID): a row whose id says when it was made."""
    made: list[VoucherOrder] = []

    def make(user: User, *, minutes_ago: float = 0, status: str = Status.PAID) -> VoucherOrder:
        at = timezone.now() - timedelta(minutes=minutes_ago)
        number = order_ids.compose(int(at.timestamp()) - ids.EPOCH, len(made), lane=1)
        row = VoucherOrderFactory.create(
            id=number,
            user=user,
            voucher=sale.voucher,
            status=status,
            accepted_at=at,
            paid_at=at if status == Status.PAID else None,
        )
        made.append(row)
        return row

    return make


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_new_site_says_what_is_missing_and_how_to_begin(boss: Client) -> None:
    page = boss.get("/admin/").content.decode()
    assert "No sale is running or coming." in page
    assert "No order in the last hour." in page
    assert "/admin/coupons/flashsale/new-flash-sale/" in page


@pytest.mark.django_db(transaction=True)
def test_many_rows_cost_as_many_queries_as_none(
    boss: Client, alice: User, bob: User, make_sale: MakeSale, order: Callable[..., VoucherOrder]
) -> None:
    def cost() -> int:
        forget_charts()
        with CaptureQueriesContext(connection) as queries:
            assert boss.get("/admin/panels/").status_code == 200
            assert boss.get("/admin/operation/panels/").status_code == 200
        return len(queries)

    few = cost()
    for number in range(8):
        make_sale()
        order(alice, minutes_ago=number, status=Status.CANCELLED)
        create_dead_letter(number)
    order(bob)
    reconciliation.run_and_save()
    assert cost() == few


def create_dead_letter(number: int) -> None:
    dead_letters.record_failure(
        "savor:coupons:{p1}:orders", f"{number}-1", {"v": "9"}, reason="odd", deliveries=5
    )


@pytest.mark.django_db(transaction=True)
def test_orders_fall_into_their_minute(boss: Client, alice: User, order: Callable[..., VoucherOrder]) -> None:
    for minutes_ago in (0, 3, 3, 3, 59, 61):
        order(alice, minutes_ago=minutes_ago, status=Status.CANCELLED)
    labels, counts = dashboard._orders_by_minute(0)
    assert (len(labels), sum(counts)) == (60, 5)
    assert counts[-1] == 1
    assert counts[-4] == 3
    assert counts[0] == 1


@pytest.mark.django_db(transaction=True)
def test_only_paid_orders_count_as_money(alice: User, bob: User, order: Callable[..., VoucherOrder]) -> None:
    order(alice, status=Status.PAID)
    order(bob, status=Status.UNPAID)
    days, amounts = dashboard._paid_by_day(0)
    assert (len(days), amounts[-1], sum(amounts)) == (7, 4_900, 4_900)


@pytest.mark.django_db(transaction=True)
def test_accepted_orders_without_a_row_are_in_flight(boss: Client, sale: FlashSale, alice: User) -> None:
    seckill.claim_many({sale.pk: [(user_id, "a") for user_id in (alice.pk, alice.pk + 1, alice.pk + 2)]})
    backlog = consuming.backlog()
    assert (backlog.orders, backlog.unread_entries, backlog.pending_entries) == (3, 1, 0)
    shown = boss.get("/admin/operation/panels/").context["backlog"]
    assert (shown["waiting"], shown["pending"]) == (3, 0)
    assert monitoring_hooks.read_queued_orders() == {"": 3}
    assert monitoring_hooks.read_order_stream() == {"waiting": 1, "in_progress": 0}
    assert "3 waiting" in str(monitoring_hooks.check_order_queue().detail)


@pytest.mark.django_db(transaction=True)
def test_without_redis_the_dashboard_still_answers(boss: Client, sale: FlashSale, settings: Settings) -> None:
    gone = {"url": f"redis://127.0.0.1:{free_port()}/0", "deadline": 0.5, "connections": 5}
    settings.REDIS_CONNECTIONS = settings.REDIS_CONNECTIONS | {"default": gone}
    redis_client.close_all()
    try:
        answer, operation = boss.get("/admin/"), boss.get("/admin/operation/panels/")
    finally:
        redis_client.close_all()
    assert (answer.status_code, operation.status_code) == (200, 200)
    assert b"Redis does not answer" in operation.content
    assert sale.voucher.title in answer.content.decode()
    assert b"Orders today" in answer.content
