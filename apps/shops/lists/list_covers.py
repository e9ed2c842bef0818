"""The pictures of the shops of a list: a drawn cover looks like none of those beside it."""

from collections import deque
from collections.abc import Iterable

from apps.shops.covers import scene
from apps.shops.covers.scene import Look
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop

#: A card's neighbours are the one before it and the one above it, in grids of up to so many columns.
COLUMNS = 4


def addresses(shops: Iterable[Shop | ShopRow]) -> list[str]:
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
