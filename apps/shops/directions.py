"""Links that open a shop's place in a map app.

The site's coordinates are WGS 84, as GPS and browsers have them. Chinese maps draw others, some 500 m away:
their links say which ones ours are, by the services' own parameters, and the services convert.
"""

from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.utils.translation import gettext as _

from apps.shops.models import Shop


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
