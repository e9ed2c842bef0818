"""Lines of the access log: an answered request as JSON, without anything that tells who asked."""

import json
import logging
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.urls import Resolver404, resolve
from django.utils import timezone

from apps.geoip import locating
from apps.redis_kit import client
from apps.uv import page_views
from apps.web import client_address, findable
from apps.web.serving.short_cache import short_cache

if TYPE_CHECKING:
    from apps.logship.access_log import Answer

#: Stands for every path that the site doesn't have.
UNKNOWN_PATH = "(unknown)"
#: Pages of staff are no visits.
STAFF_PREFIX = "/admin/"
#: Seconds for which a process keeps where addresses are, and how many.
PLACES_SECONDS, MAX_PLACES = 60.0, 20_000
#: Addresses located in one round trip.
MAX_LOCATED = 500
_NAMED_PARAMETER = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
#: (city as JSON, country's code)
City = tuple[str, str]
NOWHERE: City = ('""', "")

log = logging.getLogger(__name__)


class LineWriter:
    """Formats answers; for one thread."""

    def __init__(self) -> None:
        self._cities: dict[str, City] = {}
        self._cities_end = 0.0

    def format(self, answers: Sequence["Answer"]) -> bytes:
        """The lines of these answers; cities are unknown while Redis is away."""
        headers = [{name.lower(): value for name, value in answer.headers} for answer in answers]
        ips = [_client_ip(*pair) for pair in zip(answers, headers, strict=True)]
        cities = self._locate(ips)
        lines = map(_format, answers, headers, (cities.get(ip, NOWHERE) for ip in ips))
        return "".join(lines).encode()

    def _locate(self, ips: Iterable[str]) -> Mapping[str, City]:
        now = time.monotonic()
        if now > self._cities_end or len(self._cities) > MAX_PLACES:
            self._cities, self._cities_end = {}, now + PLACES_SECONDS
        unknown = list({ip for ip in ips if ip not in self._cities})
        for start in range(0, len(unknown), MAX_LOCATED):
            batch = unknown[start : start + MAX_LOCATED]
            try:
                places = locating.locate_many(batch)
            except client.UNAVAILABLE:
                log.warning("lines of the access log have no city: Redis is away")
                break
            self._cities.update(zip(batch, map(_city, places), strict=True))
        return self._cities


def _city(place: locating.Place | None) -> City:
    if place is None:
        return NOWHERE
    pair = findable.pair_value(place.city, place.city_zh) if place.city or place.city_zh else ""
    return json.dumps(pair, ensure_ascii=False), place.country


def _client_ip(answer: "Answer", headers: Mapping[bytes, bytes]) -> str:
    forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1") if settings.TRUSTED_PROXIES else ""
    return client_address.forwarded_ip(answer.peer, forwarded) if forwarded else answer.peer


def _format(answer: "Answer", headers: Mapping[bytes, bytes], city: City) -> str:
    whole, milliseconds = divmod(int(answer.at * 1000), 1000)
    begin, zone = _second(whole)
    page = "true" if _is_page(answer, headers) else "false"
    return (
        f'{{"at":"{begin}.{milliseconds:03d}{zone}","city":{city[0]},"country":"{city[1]}","page":{page},'
        f'"method":"{answer.method}","path":{route(answer.target)},"status":{answer.status},'
        f'"ms":{answer.milliseconds:.2f}}}\n'
    )


@lru_cache(4)
def _second(unix_seconds: int) -> tuple[str, str]:
    """A second in the site's time zone, as text, and the zone's offset."""
    moment = datetime.fromtimestamp(unix_seconds, tz=timezone.get_default_timezone()).isoformat()
    return moment[:19], moment[19:]


def _is_page(answer: "Answer", headers: Mapping[bytes, bytes]) -> bool:
    """Whether a person opened a page: not a program, a part of a page, or a page of staff."""
    if answer.method != "GET" or answer.target.startswith(STAFF_PREFIX):
        return False
    is_whole = answer.status == 200 and answer.is_html
    is_kept = answer.status == 304 and headers.get(b"sec-fetch-dest") == b"document"
    values = (headers.get(name.lower().encode()) for name in page_views.HEADERS)
    return (is_whole or is_kept) and page_views.is_opened_by_person(
        *(None if value is None else value.decode("latin-1") for value in values)
    )


@short_cache(4_096)
def route(target: str) -> str:
    """The route of a request's target as JSON: "/shops/<shop_id>/" of "/shops/7/?q=secret"."""
    path = target.partition("?")[0]
    if path.startswith(settings.STATIC_URL):
        return json.dumps(f"{settings.STATIC_URL}…", ensure_ascii=False)
    try:
        pattern = resolve(path).route
    except (Resolver404, ValueError):
        return json.dumps(UNKNOWN_PATH)
    return json.dumps("/" + _NAMED_PARAMETER.sub(r"<\1>", pattern.lstrip("^/")), ensure_ascii=False)
