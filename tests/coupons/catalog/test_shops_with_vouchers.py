"""Until when a shop has a voucher, as lists of shops filter by it."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from apps.coupons.catalog import findable_sales
from apps.coupons.catalog.findable_sales import WITHOUT_END
from apps.coupons.models import FlashSale, Voucher
from apps.shops.models import Shop
from tests import races
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db(transaction=True)


def read_end(shop: Shop) -> datetime | None:
    return Shop.objects.get(pk=shop.pk).vouchers_until


def offer(voucher: Voucher, *, is_offered: bool = True) -> None:
    with transaction.atomic():
        Voucher.objects.filter(pk=voucher.pk).update(is_offered=is_offered)
        findable_sales.announce_change(voucher)


def test_the_end_is_that_of_the_voucher_that_lasts_longest(
    shop: Shop, voucher: Voucher, make_sale: MakeSale
) -> None:
    short, long = make_sale(lasts=600), make_sale(lasts=3_600)
    for sale in (long, short):
        offer(sale.voucher)
    offer(voucher, is_offered=False)
    assert read_end(shop) == long.ends_at
    offer(voucher)
    assert read_end(shop) == WITHOUT_END
    for one in (voucher, long.voucher):
        offer(one, is_offered=False)
    assert read_end(shop) == short.ends_at
    FlashSale.objects.filter(pk=short.pk).update(ends_at=timezone.now() - timedelta(seconds=1))
    assert findable_sales.compute_ends([shop.pk]) == {}


@pytest.mark.both_databases
def test_of_vouchers_saved_at_once_none_is_forgotten(shop: Shop, make_sale: MakeSale) -> None:
    sales = [make_sale(lasts=600 * (number + 1)) for number in range(6)]
    Voucher.objects.update(is_offered=False)
    assert races.race(6, lambda number: offer(sales[number].voucher)) == [None] * 6
    assert read_end(shop) == max(sale.ends_at for sale in sales)
