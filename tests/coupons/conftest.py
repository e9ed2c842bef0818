from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment
from apps.shops.models import Shop
from tests.coupons import buyers, payers
from tests.factories import FlashSaleFactory, VoucherFactory
from tests.shops import makers

MakeSale = Callable[..., FlashSale]


@pytest.fixture
def shop(db: None) -> Shop:
    return makers.shop()


@pytest.fixture
def voucher(shop: Shop) -> Voucher:
    """An ordinary one."""
    return VoucherFactory.create(shop=shop)


@pytest.fixture
def make_sale(shop: Shop) -> MakeSale:
    """make_sale(units=3, begins_in=-60, lasts=3600, loaded=True): a running sale, in Redis if `loaded`."""

    def make(*, units: int = 10, loaded: bool = True, **fields: Any) -> FlashSale:
        sale = FlashSaleFactory.create(voucher__shop=shop, stock_total=units, **fields)
        if loaded:
            loading.load(sale.pk)
            sale.refresh_from_db()
        return sale

    return make


@pytest.fixture
def sandbox(settings: Settings) -> None:
    """The sandbox bank is open, as in the demo."""
    settings.DEMO = True


@pytest.fixture
def line(sandbox: None, live_server: LiveServer, settings: Settings) -> None:
    """The sandbox bank reaches the shop over HTTP."""
    settings.SITE_URL = live_server.url


@pytest.fixture
def sale(make_sale: MakeSale) -> FlashSale:
    """Ten units, running, loaded."""
    return make_sale()


@pytest.fixture
def order(sale: FlashSale, alice: User) -> VoucherOrder:
    """Alice's, unpaid."""
    return buyers.create_order(sale, alice)


@pytest.fixture
def payment(order: VoucherOrder) -> Payment:
    """Begun just now; the bank has taken nothing yet."""
    return payers.begin_payment(order)
