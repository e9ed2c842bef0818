from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment
from apps.shops import changes
from apps.shops.models import Shop, ShopType
from tests.coupons import buyers, payers

MakeSale = Callable[..., FlashSale]


@pytest.fixture
def shop(db: None) -> Shop:
    food = ShopType.objects.create(slug="food", name_en="Food", name_zh="美食", icon="food")
    made = Shop(
        type=food,
        name_en="Lakeside Noodle House",
        city_en="Hangzhou",
        area_en="West Lake",
        address_en="1 Nanshan Road",
        hours_en="10:00-22:00",
        lng=120.15,
        lat=30.25,
        price=8_800,
        rating=47,
    )
    changes.save(made)
    return made


@pytest.fixture
def voucher(shop: Shop) -> Voucher:
    """An ordinary one."""
    return Voucher.objects.create(shop=shop, title_en="Noodles for two", price=4_900, value=8_800)


@pytest.fixture
def make_sale(shop: Shop) -> MakeSale:
    """make_sale(units=3, begins_in=-60, lasts=3600, loaded=True): a running sale, in Redis if `loaded`."""

    def make(
        *, units: int = 10, begins_in: float = -60, lasts: float = 3_600, loaded: bool = True
    ) -> FlashSale:
        offered = Voucher.objects.create(
            shop=shop, title_en="Noodles at half price", price=4_900, value=8_800
        )
        begins = timezone.now() + timedelta(seconds=begins_in)
        sale = FlashSale.objects.create(
            voucher=offered,
            stock_total=units,
            stock_left=units,
            begins_at=begins,
            ends_at=begins + timedelta(seconds=lasts),
        )
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
