"""The content of a shop's page as plain values; a fragment is rendered once for all who see the same."""

from typing import Any, NamedTuple
from urllib.parse import quote

from django.http import HttpRequest
from django.utils import timezone

from apps.shops import opening_hours, shop_metadata
from apps.shops.lists import cards
from apps.shops.models import Shop


class ShopFacts(NamedTuple):
    """`price` as text, `stars` 0.0 to 5.0, `kind` its type's slug, `open_until`: it closes or opens next."""

    name: str
    about: str
    place: str
    address: str
    phone: str
    hours: str
    lat: float
    lng: float
    geo_uri: str
    price: str
    stars: float
    reviews: int
    is_open: bool | None
    open_until: str
    kind: str
    label: str
    icon: str
    cover_url: str


def build_facts(shop: Shop) -> ShopFacts:
    """The shop's facts now, in the reader's language."""
    kind = shop.type
    return ShopFacts(
        name=shop.name,
        about=shop.about,
        place=shop.place,
        address=shop.address,
        phone=shop.phone,
        hours=opening_hours.format_hours(shop.hours),
        lat=shop.lat,
        lng=shop.lng,
        geo_uri=build_geo_uri(shop),
        price=cards.format_price_per_person(shop),
        stars=shop.stars,
        reviews=shop.reviews,
        is_open=shop.is_open,
        open_until=opening_hours.describe_now(shop.hours, at=timezone.localtime()),
        kind=kind.slug,
        label=kind.name,
        icon=kind.icon,
        cover_url=shop.cover_url,
    )


def build_geo_uri(shop: Shop) -> str:
    """The shop's place as RFC 5870 writes it, with its name as map apps read it from `q`."""
    place = f"{shop.lat:.6f},{shop.lng:.6f}"
    return f"geo:{place}?q={place}({quote(shop.name)})"


def context(request: HttpRequest, shop: Shop) -> dict[str, Any]:
    """The context of shops/detail.html."""
    address = f"{request.scheme}://{request.get_host()}{shop.get_absolute_url()}"
    about = shop_metadata.describe(shop)
    return {"shop": shop, "facts": build_facts(shop), "canonical": address, "metadata": about}
