"""What a voucher's page says of itself to search engines and previews."""

from typing import Any

from apps.coupons.catalog.sale_page import ButtonState, SalePage
from apps.shops import money, shop_metadata
from apps.web.page_metadata import PageMetadata

AVAILABILITY: dict[ButtonState, str] = {
    "soon": "PreOrder",
    "open": "LimitedAvailability",
    "sold_out": "SoldOut",
    "ended": "Discontinued",
    "buy": "InStock",
}


def describe(page: SalePage) -> PageMetadata:
    """The metadata of a voucher's page: its price, its window, and whether any are left."""
    voucher = page.voucher
    return PageMetadata(
        title=voucher.title,
        description=" · ".join(filter(None, (voucher.subtitle, voucher.shop.name))),
        image=voucher.preview_url,
        kind="product",
        data={
            "@type": "Offer",
            "name": voucher.title,
            "url": voucher.get_absolute_url(),
            "price": money.write_plainly(voucher.price, voucher.currency),
            "priceCurrency": voucher.currency,
            "availability": f"https://schema.org/{AVAILABILITY[page.state]}",
            "offeredBy": shop_metadata.name_shop(voucher.shop),
        }
        | _window(page),
    )


def _window(page: SalePage) -> dict[str, Any]:
    if page.sale is None:
        return {}
    begins, ends = page.sale.begins_at.isoformat(), page.sale.ends_at.isoformat()
    return {"availabilityStarts": begins, "availabilityEnds": ends, "priceValidUntil": ends}
