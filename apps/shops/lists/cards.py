"""The content of shops' cards as text, with covers of which no two neighbours look alike."""

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.shops import money, shop_hours
from apps.shops.covers import scene
from apps.shops.covers.scene import Look
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop

#: A card's neighbours are the one before it and the one above it, in grids of up to so many columns.
COLUMNS = 4


class CardContent(NamedTuple):
    """A shop's card as plain values, the same for every reader: pages keep its HTML under them."""

    id: int
    url: str
    name: str
    cover: str
    rating: float
    reviews: str
    price: str
    kind: str
    area: str
    #: "Opens 10:30" while it is closed.
    closed: str


class Card(NamedTuple):
    shop: Shop | ShopRow
    content: CardContent
    distance: str


def build(shops: Iterable[Shop | ShopRow]) -> list[Card]:
    now = timezone.now()
    listed = list(shops)
    covers = cover_addresses(listed)
    return [_build_card(shop, cover, now) for shop, cover in zip(listed, covers, strict=True)]


def format_price_per_person(shop: Shop) -> str:
    """ "¥88 a person"; "" without a known price."""
    if not shop.price:
        return ""
    return _("%(price)s a person") % {"price": money.format_amount(shop.price, shop.currency)}


def format_distance(metres: int | None) -> str:
    """ "650 m", "1.2 km", "12 km"; "" when unknown."""
    if metres is None:
        return ""
    if metres < 1_000:
        return _("%(metres)d m") % {"metres": max(10, round(metres, -1))}
    kilometres = f"{metres / 1_000:.1f}" if metres < 9_950 else f"{metres / 1_000:.0f}"
    return _("%(kilometres)s km") % {"kilometres": kilometres}


def _build_card(shop: Shop | ShopRow, cover: str, now: datetime) -> Card:
    content = CardContent(
        id=shop.pk,
        url=shop.get_absolute_url(),
        name=shop.name,
        cover=cover,
        rating=shop.stars,
        reviews=str(intcomma(shop.reviews)),
        price=money.format_amount(shop.price, shop.currency) if shop.price else "",
        kind=shop.type.name,
        area=shop.area,
        closed=shop_hours.describe_opening(shop_hours.read_state(shop, at=now)),
    )
    return Card(shop, content, format_distance(shop.distance_m))


def cover_addresses(shops: Iterable[Shop | ShopRow]) -> list[str]:
    """The address of each shop's picture, in the order of the list.

    Of two neighbours with the same motif in the same colours the second comes in others, which its address
    names.
    """
    found, before = [], deque[Look](maxlen=COLUMNS)
    for shop in shops:
        url = shop.cover_url
        if not shop.picture:
            look = scene.recolour(shop.type.slug, shop.look, before)
            if look != shop.look:
                url = f"{url}?colours={look.colours}"
            before.append(look)
        found.append(url)
    return found
