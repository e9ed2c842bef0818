from django.test import Client

from apps.coupons.models import FlashSale
from tests.web.test_page_metadata import read_metadata


def test_a_sale_is_an_offer_of_its_shop(client: Client, sale: FlashSale) -> None:
    properties, data = read_metadata(client, sale.voucher.get_absolute_url())
    assert properties["type"] == "product"
    assert (data["@type"], data["availability"]) == ("Offer", "https://schema.org/LimitedAvailability")
    assert (data["price"], data["priceCurrency"]) == (f"{sale.voucher.price / 100:.2f}", "CNY")
    assert data["offeredBy"]["name"] == sale.voucher.shop.name
    assert data["availabilityEnds"] == sale.ends_at.isoformat()
