"""Locates addresses: the city of an IPv4 or IPv6 address, by the table in Redis."""

import json
import logging
import time
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from apps.geoip import keys, pages
from apps.redis_kit import client, transport

#: Seconds for which a process keeps what it found, so that an import shows soon.
KEPT_SECONDS = 60
#: Addresses and cities that a process keeps.
MAX_KEPT = 4_096

log = logging.getLogger(__name__)


class Place(NamedTuple):
    """Where an address is; `city` and `city_zh` are "" where only the country is known, `country` is its
    ISO code.
    """

    city: str
    city_zh: str
    country: str

    def in_language(self, language: str) -> str:
        """The city's name in a language, else in the other one."""
        return (self.city_zh or self.city) if language.startswith("zh") else (self.city or self.city_zh)


def locate(text: str) -> Place | None:
    """Where an address is; None for an unknown one, for what is no address, and while Redis is away.

    One round trip, two for a city that this process has not met; none for an address it met a moment ago.
    """
    try:
        return _locate(text, int(time.monotonic() / KEPT_SECONDS))
    except client.UNAVAILABLE:
        log.warning("an address was not located: Redis is away")
        return None


def locate_many(texts: Sequence[str]) -> list[Place | None]:
    """Where each address is, in two round trips; raises one of client.UNAVAILABLE while Redis is away."""
    addresses = [pages.parse_address(text) for text in texts]
    cities = _find_cities([address for address in addresses if address])
    places = _read_places({city for city in cities.values() if city})
    return [places.get(cities[address] or 0) if address else None for address in addresses]


@lru_cache(MAX_KEPT)
def _locate(text: str, _period: int) -> Place | None:
    return locate_many([text])[0]


def forget() -> None:
    """Forget what this process found: for tests, and after an import."""
    _locate.cache_clear()


def _find_cities(
    addresses: Sequence[IPv4Address | IPv6Address],
) -> dict[IPv4Address | IPv6Address, int | None]:
    """The geoname id for each address, in one round trip."""
    wanted = [(address, *one) for address in addresses for one in pages.fields_of(address)]
    if not wanted:
        return {}
    fields = [field for _address, _layout, field in wanted]
    found: dict[IPv4Address | IPv6Address, int | None] = dict.fromkeys(addresses)
    values = transport.execute(client.get(), ("HMGET", keys.TABLE(), *fields))
    for (address, layout, _field), page in zip(wanted, values, strict=True):
        if page is not None and found[address] is None:
            found[address] = pages.find_city(layout, page, int(address))
    return found


def _read_places(city_ids: set[int]) -> dict[int, Place]:
    ordered = sorted(city_ids)
    if not ordered:
        return {}
    fields = [f"c{city_id}" for city_id in ordered]
    values = transport.execute(client.get(), ("HMGET", keys.TABLE(), *fields))
    return {city: Place(*json.loads(value)) for city, value in zip(ordered, values, strict=True) if value}
