"""The content of a shop's page."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.redis_kit import cache
from apps.shops import areas, keys, ratings, shop_cache, shop_hours, shop_metadata
from apps.shops.lists import cards, nearby, rows
from apps.shops.lists.query import DEFAULT_RADIUS_M, Query, Sort
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop

MAX_SIMILAR = 4


class ScoreBar(NamedTuple):
    """A score of the shop's notes: its name, and 1.0 to 5.0."""

    label: str
    value: float


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
        "map_links": build_links(shop),
        "similar": cards.build(load_similar(shop)),
        "canonical": f"{request.scheme}://{request.get_host()}{shop.get_absolute_url()}",
        "metadata": shop_metadata.describe(shop),
    }


class MapLink(NamedTuple):
    """A map app's name, the address that opens a place in it, and the slug by which browsers remember it."""

    slug: str
    name: str
    url: str


def build_links(shop: Shop) -> list[MapLink]:
    """The ways to a shop: the large map apps, and whichever the phone has set."""
    lat, lng, name = f"{shop.lat:.6f}", f"{shop.lng:.6f}", shop.name
    # lbs.amap.com/api/uri-api/guide/mobile-web/point: coordinate is gaode unless it says wgs84.
    amap = {"position": f"{lng},{lat}", "name": name, "coordinate": "wgs84", "callnative": 1, "src": "savor"}
    # lbsyun.baidu.com, URI API, marker: coord_type is bd09ll unless it says wgs84.
    baidu = {
        **{"location": f"{lat},{lng}", "title": name, "content": shop.address or name},
        **{"coord_type": "wgs84", "output": "html", "src": "webapp.savor.savor"},
    }
    google = {"api": 1, "destination": f"{lat},{lng}"}
    apple = {"daddr": f"{lat},{lng}", "q": name}
    return [
        MapLink("amap", _("Amap"), f"https://uri.amap.com/marker?{urlencode(amap)}"),
        MapLink("baidu", _("Baidu Maps"), f"https://api.map.baidu.com/marker?{urlencode(baidu)}"),
        MapLink("apple", _("Apple Maps"), f"https://maps.apple.com/?{urlencode(apple)}"),
        MapLink("google", _("Google Maps"), f"https://www.google.com/maps/dir/?{urlencode(google)}"),
        MapLink("system", _("The phone's map app"), build_geo_uri(shop)),
    ]


def build_geo_uri(shop: Shop) -> str:
    """The shop's place as RFC 5870 writes it, with its name as map apps read it from `q`."""
    place = f"{shop.lat:.6f},{shop.lng:.6f}"
    return f"geo:{place}?q={place}({quote(shop.name)})"


def _load_ids(shop_id: int) -> list[int] | None:
    shop = shop_cache.get(shop_id)
    if shop is None:
        return None
    at = areas.Point(shop.lat, shop.lng)
    query = Query(kind=shop.type_id, at=at, radius_m=DEFAULT_RADIUS_M, sort=Sort.RATING)
    found = nearby.load_page(query, size=MAX_SIMILAR + 1).items
    return [other.pk for other in found if other.pk != shop_id][:MAX_SIMILAR]


#: Ids alone: names and scores are read anew, in the reader's language.
SIMILAR: cache.Cache[list[int]] = cache.Cache(
    keys.SIMILAR, load=_load_ids, fresh=timedelta(hours=1), ttl=timedelta(days=1)
)


def load_similar(shop: Shop) -> Sequence[ShopRow]:
    """At most four listed shops with their distances; one round trip, one query. None of it in a crowd."""
    try:
        shop_ids = SIMILAR.get(shop.pk) or []
    except cache.Busy:
        return []
    found = rows.fetch_listed(shop_ids, areas.Point(shop.lat, shop.lng))
    return [found[shop_id] for shop_id in shop_ids if shop_id in found]
