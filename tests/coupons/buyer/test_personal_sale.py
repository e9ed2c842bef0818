"""The part "sale" of GET /api/me/page: stock, own order, own reminder."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.catalog import reminders
from apps.coupons.claims import loading
from apps.coupons.models import Status, Voucher, VoucherOrder
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db


def sale_part(client: Client, voucher_id: int) -> Any:
    response = client.get("/api/me/page", {"sale": voucher_id})
    assert response.status_code == 200
    return response.json()["sale"]


def state(voucher_id: int, **changed: Any) -> dict[str, Any]:
    bare: dict[str, Any] = {"order_id": None, "order_status": None, "orders": [], "reminded": False}
    bare |= {"days_to_go": 0, "pay_until": None}
    return {"voucher_id": voucher_id, "left": 10} | bare | changed


@pytest.mark.parametrize("loaded", [True, False])
def test_everybody_sees_the_stock(client: Client, make_sale: MakeSale, alice: User, loaded: bool) -> None:
    sale = make_sale(loaded=loaded)
    assert sale_part(client, sale.pk) == state(sale.pk)
    assert sale_part(buyers.browser_client(alice), sale.pk) == state(sale.pk)


@pytest.mark.both_databases
def test_an_order_is_queued_then_unpaid(make_sale: MakeSale, alice: User, bob: User) -> None:
    sale, browser = make_sale(), buyers.browser_client(alice)
    order_id = buyers.queue_order(sale, alice)
    queued = {"id": str(order_id), "status": "queued"}
    assert sale_part(browser, sale.pk) == state(
        sale.pk, left=9, order_id=str(order_id), order_status="queued", orders=[queued]
    )
    row = buyers.record_order(sale, order_id)
    unpaid = sale_part(browser, sale.pk)
    assert (unpaid["order_status"], unpaid["pay_until"]) == ("unpaid", row.pay_deadline.isoformat())
    row.status = Status.PAID
    row.save()
    paid = sale_part(browser, sale.pk)
    assert (paid["order_status"], paid["pay_until"]) == ("paid", None)
    assert sale_part(buyers.browser_client(bob), sale.pk) == state(sale.pk, left=9)


@pytest.mark.both_databases
def test_an_order_of_an_ordinary_voucher(voucher: Voucher, alice: User) -> None:
    browser = buyers.browser_client(alice)
    assert sale_part(browser, voucher.pk) == state(voucher.pk, left=None)
    buyers.api_client(alice).post(f"/api/vouchers/{voucher.pk}/buy")
    unpaid, order = sale_part(browser, voucher.pk), VoucherOrder.objects.get()
    assert (unpaid["order_status"], unpaid["pay_until"]) == ("unpaid", order.pay_deadline.isoformat())


def test_a_withdrawn_voucher_is_none(make_sale: MakeSale, client: Client) -> None:
    sale = make_sale(loaded=False)
    Voucher.objects.update(is_offered=False)
    assert sale_part(client, sale.pk) is None


@pytest.mark.both_databases
def test_a_reminder_shows_while_it_can_be_changed(make_sale: MakeSale, alice: User) -> None:
    sale, browser = make_sale(begins_in=3_600), buyers.browser_client(alice)
    reminders.add(sale.pk, alice.pk)
    assert sale_part(browser, sale.pk) == state(sale.pk, reminded=True)
    sale.begins_at = timezone.now() + timedelta(minutes=4)
    sale.save()
    loading.load(sale.pk, force=True)
    assert sale_part(browser, sale.pk) == state(sale.pk, reminded=False)
