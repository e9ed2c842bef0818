"""Flash sales for load tests, in a shop that no list, map or search shows."""

from datetime import timedelta

from django.utils import timezone

from apps.coupons.catalog import sales
from apps.coupons.models import FlashSale, Voucher
from apps.shops import changes
from apps.shops.models import Shop, ShopType

SHOP_NAME = "Load lab"


def create_sale(
    units: int, *, begins_in: timedelta, lasts: timedelta, shop_id: int | None = None
) -> FlashSale:
    """Create a sale in the Load lab or another shop. Raises Shop.DoesNotExist, or as sales.create does."""
    where = _get_or_create_shop() if shop_id is None else Shop.objects.get(pk=shop_id)
    begins = timezone.now() + begins_in
    voucher = Voucher(shop=where, title_en=f"Load test, {units} units", price=4_900, value=8_800)
    return sales.create(voucher, sales.Terms(units, begins, begins + lasts))


def _get_or_create_shop() -> Shop:
    """The unlisted shop: its vouchers are shown nowhere, and can be claimed by their ids."""
    if shop := Shop.objects.filter(name_en=SHOP_NAME, is_listed=False).first():
        return shop
    kind = ShopType.objects.first() or ShopType.objects.create(
        slug="food", name_en="Food", name_zh="美食", icon="food"
    )
    shop = Shop(
        type=kind, name_en=SHOP_NAME, city_en="Nowhere", area_en="Lab", address_en="1 Bench Street",
        hours_en="00:00-24:00",
        lng=0, lat=0, price=4_900, is_listed=False,
    )  # fmt: skip
    changes.save(shop)
    return shop
