"""The site's access log: a JSON object a line, written once a second by a thread of each web process.

    {"at":"2026-11-23T18:40:01.123+08:00","city":"Hangzhou|杭州","country":"CN","page":true,"method":"GET",
     "path":"/shops/<shop_id>/","status":200,"ms":1.25}

A line has the city of an address and never the address; the route and never what a visitor filled into it: no
query, no ticket. A request costs an append to a list; a process that is killed loses a second of lines.
"""

import json
import logging
import re
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.conf import settings
from django.urls import Resolver404, resolve
from django.utils import timezone

from apps.front.observe import Answered
from apps.geoip import locating
from apps.logship.segments import Segment
from apps.redis_kit import client
from apps.uv import page_views
from apps.web import client_address, findable

#: Seconds between two writes, lines that may wait for one, and lines formatted without a pause: a longer
#: piece of work would keep the event loop from its next request.
WRITE_SECONDS, MAX_WAITING, LINES_AT_ONCE = 1.0, 100_000, 100
PAUSE_SECONDS = 0.0005
log = logging.getLogger(__name__)
#: Stands for every path that the site doesn't have.
UNKNOWN_PATH = "(unknown)"
#: Pages of staff are no visits.
STAFF_PREFIX = b"/admin/"
#: Characters kept of a path (no route has more) and of the end of X-Forwarded-For (proxies write less): both
#: come from strangers, and an answer waits a second.
MAX_PATH, MAX_FORWARDED = 256, 512
#: Seconds for which a process keeps where addresses are, and how many.
PLACES_SECONDS, MAX_PLACES = 60.0, 20_000
#: Addresses located in one round trip.
MAX_LOCATED = 500
_PAGE_HEADERS = tuple(name.lower().encode() for name in page_views.HEADERS)
_NAMED_PARAMETER = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
#: (city as JSON, country's code)
City = tuple[str, str]
NOWHERE: City = ('""', "")


class Answer(NamedTuple):
    """An answered request, as small as it can wait; `peer` is the connection's address."""

    at: float
    milliseconds: float
    method: str
    path: str
    status: int
    is_page: bool
    peer: str
    forwarded: str


class AccessLog:
    """Collects answers and writes them as lines into the segment of this process."""

    def __init__(self, segment: Segment) -> None:
        self._segment, self._writer = segment, LineWriter()
        self._answers: deque[Answer] = deque()
        self._dropped = 0
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def hear(self, answered: Sequence[Answered]) -> None:
        """Remember answered requests (front.observe); an open stream isn't one yet."""
        self.add(*describe([one for one in answered if one.bytes is not None]))

    def add(self, *answers: Answer) -> None:
        """Remember answers; drops them where the disk is too slow."""
        room = max(0, MAX_WAITING - len(self._answers))
        self._answers.extend(answers[:room])
        self._dropped += max(0, len(answers) - room)
        if self._thread is None and answers:
            self._thread = threading.Thread(target=self._run, name="access-log", daemon=True)
            self._thread.start()

    def write(self) -> None:
        """Write what waits. Never raises: a full disk loses lines and no request."""
        try:
            while self._answers:
                batch = [self._answers.popleft() for _ in range(min(LINES_AT_ONCE, len(self._answers)))]
                self._segment.write(self._writer.format(batch))
                time.sleep(PAUSE_SECONDS)
            self._segment.flush()
        except Exception:  # nobody waits for this thread's result, so nobody else would hear of it
            log.exception("lines of the access log were lost")
        if self._dropped:
            log.warning("%d lines of the access log were dropped", self._dropped)
            self._dropped = 0

    def close(self) -> None:
        """Write the rest and give the segment up."""
        self._closing.set()
        if self._thread:
            self._thread.join()
        self.write()
        self._segment.close()

    def _run(self) -> None:
        while not self._closing.wait(WRITE_SECONDS):
            self.write()


def describe(answered: Sequence[Answered]) -> list[Answer]:
    """The Answers of requests that were answered now."""
    # Nothing else is kept: sixteen headers that wait in memory cost more than writing the line.
    now, is_proxied = time.time(), bool(settings.TRUSTED_PROXIES)
    return [
        Answer(
            now,
            one.seconds * 1000,
            one.request.method.decode(),
            one.request.target.partition(b"?")[0].decode("utf-8", "replace")[:MAX_PATH],
            one.status,
            one.request.method == b"GET" and _is_page(one),
            one.request.peer,
            one.request.fields.get(b"x-forwarded-for", b"")[-MAX_FORWARDED:].decode("latin-1")
            if is_proxied
            else "",
        )
        for one in answered
    ]


def _is_page(answered: Answered) -> bool:
    """Whether a person opened a page: not a program, a part of a page, or a page of staff."""
    status, fields = answered.status, answered.request.fields
    is_page = status == 200 and answered.is_html or status == 304
    if not is_page or answered.request.target.startswith(STAFF_PREFIX):
        return False
    if status == 304 and fields.get(b"sec-fetch-dest") != b"document":
        return False
    return page_views.is_opened_by_person(
        *(None if (value := fields.get(name)) is None else value.decode("latin-1") for name in _PAGE_HEADERS)
    )


class LineWriter:
    """Formats answers; for one thread."""

    def __init__(self) -> None:
        self._cities: dict[str, City] = {}
        self._cities_end = 0.0

    def format(self, answers: Sequence["Answer"]) -> bytes:
        """The lines of the given answers; cities are unknown while Redis is away."""
        ips = list(map(_client_ip, answers))
        cities = self._locate(ips)
        return "".join(map(_format, answers, (cities.get(ip, NOWHERE) for ip in ips))).encode()

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


def _client_ip(answer: Answer) -> str:
    return client_address.forwarded_ip(answer.peer, answer.forwarded) if answer.forwarded else answer.peer


def _format(answer: Answer, city: City) -> str:
    at, milliseconds, method, path, status, is_page, *_ = answer
    second = int(at)
    begin, zone = _second(second)
    return (
        f'{{"at":"{begin}.{int((at - second) * 1000):03d}{zone}","city":{city[0]},"country":"{city[1]}",'
        f"{_facts(method, path, status, is_page)}{milliseconds:.2f}}}\n"
    )


@lru_cache(4_096)
def _facts(method: str, path: str, status: int, is_page: bool) -> str:
    """The fields between the country and the milliseconds."""
    page = "true" if is_page else "false"
    return f'"page":{page},"method":"{method}","path":{route(path)},"status":{status},"ms":'


@lru_cache(4)
def _second(unix_seconds: int) -> tuple[str, str]:
    """A second in the site's time zone, as text, and the zone's offset."""
    moment = datetime.fromtimestamp(unix_seconds, tz=timezone.get_default_timezone()).isoformat()
    return moment[:19], moment[19:]


def route(path: str) -> str:
    """The route of a path as JSON: "/shops/<shop_id>/" of "/shops/7/"."""
    if path.startswith(settings.STATIC_URL):
        return json.dumps(f"{settings.STATIC_URL}…", ensure_ascii=False)
    try:
        pattern = resolve(path).route
    except (Resolver404, ValueError):
        return json.dumps(UNKNOWN_PATH)
    return json.dumps("/" + _NAMED_PARAMETER.sub(r"<\1>", pattern.lstrip("^/")), ensure_ascii=False)
