"""A voucher is seen and claimed from the moment staff chose, and by nobody before; an expired one goes."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import tasks
from apps.coupons.catalog import sales, vouchers
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale, Voucher
from apps.queues import delayed
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(sale: FlashSale) -> FlashSale:
    """A sale that runs and is offered in an hour."""
    sales.withdraw(sale.voucher)
    Voucher.objects.update(publish_at=timezone.now() + timedelta(hours=1))
    sale.voucher.refresh_from_db()
    return sale


def is_anywhere(sale: FlashSale, shop_id: int) -> list[bool]:
    """Whether pages and API show the sale."""
    title = str(sale.voucher)
    lists = ["/sales/", f"/shops/{shop_id}/", f"/api/shops/{shop_id}/vouchers", "/sales/strip/"]
    shown = [title in Client().get(path).content.decode() for path in lists]
    return [*shown, Client().get(f"/vouchers/{sale.pk}/").status_code == 200]


def claim(sale: FlashSale, user: User) -> Any:
    return buyers.api_client(user).post(f"/api/vouchers/{sale.pk}/seckill")


@pytest.mark.both_databases
def test_before_its_time_nobody_sees_or_claims_it_and_then_everybody_does(
    waiting: FlashSale, alice: User
) -> None:
    shop_id = waiting.voucher.shop_id
    assert (tasks.apply_voucher_dates(), set(is_anywhere(waiting, shop_id))) == (0, {False})
    assert claim(waiting, alice).status_code == 404
    Voucher.objects.update(publish_at=timezone.now())
    assert (tasks.apply_voucher_dates(), tasks.apply_voucher_dates()) == (1, 0)
    assert set(is_anywhere(waiting, shop_id)) == {True}
    assert claim(waiting, alice).status_code == 201
    assert Voucher.objects.get(pk=waiting.pk).publish_at is None
    assert seckill.read_stock(waiting.pk) == 9


def test_a_run_is_scheduled_at_each_date_that_is_ahead(voucher: Voucher) -> None:
    voucher.publish_at = timezone.now() + timedelta(hours=1)
    voucher.valid_until = timezone.now() + timedelta(days=1)
    vouchers.schedule_after_commit(voucher)
    for name in ("publish_at", "valid_until"):
        job = delayed.find_job(f"voucher:{name}:{voucher.pk}")
        assert job
        assert (job.task, job.at) == (tasks.apply_voucher_dates.name, getattr(voucher, name))


def test_what_staff_withdraws_is_not_offered_at_its_time(waiting: FlashSale) -> None:
    sales.withdraw(waiting.voucher)
    assert Voucher.objects.get(pk=waiting.pk).publish_at is None
    assert tasks.apply_voucher_dates() == 0


@pytest.mark.both_databases
def test_an_expired_voucher_is_withdrawn_and_before_that_not_sold(voucher: Voucher, alice: User) -> None:
    Voucher.objects.update(valid_until=timezone.now() - timedelta(seconds=1))
    assert buyers.api_client(alice).post(f"/api/vouchers/{voucher.pk}/buy").status_code == 404
    assert (tasks.apply_voucher_dates(), tasks.apply_voucher_dates()) == (1, 0)
    assert Voucher.objects.get(pk=voucher.pk).is_offered is False


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"publish_at": 3_600}, (False, True)),
        ({"publish_at": 3_600, "is_offered": ""}, (False, True)),
        ({"publish_at": -3_600}, None),
        ({"valid_until": -3_600}, None),
        ({"valid_until": 3_600}, (True, False)),
    ],
)
def test_staff_sets_the_dates_of_a_voucher(
    manager: User, voucher: Voucher, changes: dict[str, Any], kept: tuple[bool, bool] | None
) -> None:
    staff = Client()
    staff.force_login(manager)
    form = {"shop": voucher.shop_id, "title_en": "Noodles", "price": "49", "value": "88", "is_offered": "on"}
    for name, seconds in changes.items():
        if name == "is_offered":
            del form[name]
        else:
            at = timezone.localtime(timezone.now() + timedelta(seconds=seconds))
            form |= {f"{name}_0": at.strftime("%Y-%m-%d"), f"{name}_1": at.strftime("%H:%M:%S")}
    answer = staff.post(f"/admin/coupons/voucher/{voucher.pk}/change/", form)
    saved = Voucher.objects.get(pk=voucher.pk)
    if kept is None:
        assert "That time has passed." in answer.content.decode()
        assert saved.title == "Noodles for two"
    else:
        assert answer.status_code == 302, answer.content.decode()
        assert (saved.is_offered, saved.publish_at is not None) == kept


def test_the_page_of_new_sales_is_there(manager: User, client: Client) -> None:
    client.force_login(manager)
    assert 'name="publish_at"' in client.get("/admin/coupons/flashsale/new-flash-sale/").content.decode()
