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
#: Seconds without a question after Redis did not answer one: pages don't wait for it again and again.
PAUSE_SECONDS = 5

log = logging.getLogger(__name__)
#: Until when nothing is asked, by time.monotonic().
_paused_until = 0.0


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
    global _paused_until
    now = time.monotonic()
    if now < _paused_until:
        return None
    try:
        return _locate(text, int(now / KEPT_SECONDS))
    except client.UNAVAILABLE:
        _paused_until = now + PAUSE_SECONDS
        log.warning("an address was not located: Redis is away")
        return None


def has_table() -> bool:
    """Whether addresses can be located at all; as this process found it within KEPT_SECONDS."""
    try:
        return _has_table(int(time.monotonic() / KEPT_SECONDS))
    except client.UNAVAILABLE:
        return False


@lru_cache(1)
def _has_table(_period: int) -> bool:
    return bool(transport.execute(client.get(), ("EXISTS", keys.TABLE())))


def locate_many(texts: Sequence[str]) -> list[Place | None]:
    """Where each address is, in two round trips; raises one of client.UNAVAILABLE while Redis is away."""
    addresses = [pages.parse_address(text) for text in texts]
    cities = _find_cities([address for address in addresses if address])
    places = _read_places({city for city in cities.values() if city})
    return [places.get(cities[address] or 0) if address else None for address in addresses]


@lru_cache(MAX_KEPT)
def _locate(text: str, period: int) -> Place | None:
    address = pages.parse_address(text)
    city = _find_cities([address])[address] if address else None
    return _read_place(city, period) if city else None


@lru_cache(MAX_KEPT)
def _read_place(city: int, _period: int) -> Place | None:
    return _read_places({city}).get(city)


def forget() -> None:
    """Forget what this process found: for tests, and after an import."""
    global _paused_until
    _paused_until = 0.0
    _locate.cache_clear()
    _read_place.cache_clear()
    _has_table.cache_clear()


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
