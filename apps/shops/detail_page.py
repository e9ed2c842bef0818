"""The content of a shop's page."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.http import HttpRequest

from apps.accounts.pictures import uploads
from apps.shops import directions, ratings, shop_hours, shop_metadata
from apps.shops.lists import cards, similar
from apps.shops.models import Shop


class ScoreBar(NamedTuple):
    """A score of the shop's notes: its name, and 1.0 to 5.0."""

    label: str
    value: float


class LeadPicture(NamedTuple):
    """A picture's URL; of a photo also that of its small file, and the width of the large one in pixels."""

    url: str
    card_url: str = ""
    width: int = 0

    @property
    def srcset(self) -> str:
        """The two files of a photo for `srcset`; "" for a picture of one file."""
        both = f"{self.card_url} {uploads.CARD_PIXELS}w, {self.url} {self.width}w"
        return both if self.card_url else ""


def find_own_lead(shop: Shop) -> LeadPicture | None:
    """The picture that a shop of shop_cache has uploaded, else the first photo of its own, else None."""
    if shop.picture:
        return LeadPicture(shop.picture.url)
    if shop.own_photos:
        own = shop.own_photos[0]
        return LeadPicture(own.url, own.card_url, own.width)
    return None


def build_score_bars(shop: Shop) -> Iterator[ScoreBar]:
    """A bar for each score that a note of the shop has given."""
    labels = ratings.score_labels(shop.type)
    for name, value in shop.scores.items():
        if value is not None:
            yield ScoreBar(labels[name], value)


def context(request: HttpRequest, shop: Shop) -> dict[str, Any]:
    """The context of shops/detail.html: the shop, and as text or plain values what its row doesn't say."""
    return {
        "shop": shop,
        "scores": list(build_score_bars(shop)),
        "price": cards.format_price_per_person(shop),
        "opening": shop_hours.build_opening(shop),
        "map_links": directions.build_links(shop),
        "similar": cards.build(similar.load(shop)),
        "canonical": f"{request.scheme}://{request.get_host()}{shop.get_absolute_url()}",
        "metadata": shop_metadata.describe(shop),
    }
