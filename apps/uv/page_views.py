"""Decides which responses are pages that a person looks at, and counts the event loop's once a second.

A reader costs the loop a look at a few headers; who it was is found out when the views are counted.
"""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from django.http import HttpRequest, parse_cookie
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch

from apps.front.head_fields import find_cookie
from apps.uv import counting, page_kinds, visitors
from apps.uv.counting import View
from apps.uv.page_kinds import Scope

#: Not for visitors: managers' pages, and the API with its documentation.
EXCLUDED_PATHS = ("/admin/", "/api/")
#: Headers by which browsers say that nobody has asked for the page yet.
PREFETCH_HEADERS = ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
#: Programs that name themselves (Cubot makes phones). Headless browsers aren't: they see what people see.
BOT_PATTERN = re.compile(
    r"(?<!cu)bot\b|bot[/;_-]|crawl|spider|slurp|archiver|preview|monitor|uptime|pingdom|lighthouse|facebookexternalhit|"
    r"whatsapp|feedfetcher|mediapartners|curl|wget|python|httpx|aiohttp|go-http|java/|okhttp|ruby|perl|php/|"
    r"node-fetch|axios|postman|scrapy|httpclient",
    re.IGNORECASE,
)


#: The headers that `is_opened_by_person` takes, in its order.
HEADERS = ("User-Agent", "Sec-Fetch-Dest", "HX-Request", "HX-Boosted", *PREFETCH_HEADERS)

#: Seconds between two countings.
COUNT_EVERY_SECONDS = 1.0
#: Different views that may wait: more come only while Redis is slow, and are not counted.
MAX_GATHERED = 50_000
#: Bytes of their Cookie headers, and of one: a browser of ours sends some hundred.
MAX_GATHERED_BYTES, MAX_COOKIE_BYTES = 32 * 1024 * 1024, 8 * 1024
_HEADER_NAMES = tuple(name.lower().encode() for name in HEADERS)
_COOKIE_NAME = visitors.COOKIE_NAME.encode()
log = logging.getLogger(__name__)
#: The user ids behind Cookie headers, None for a visitor's.
Identify = Callable[[Sequence[str]], Sequence[int | None]]


def is_page_view(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether the response is a whole HTML page that was found and that a person opened."""
    return (
        response.status_code == 200
        and request.method == "GET"
        and response.get("Content-Type", "").startswith("text/html")
        and not request.path_info.startswith(EXCLUDED_PATHS)
        and is_opened_by_person(*map(request.headers.get, HEADERS))
    )


# The same few thousand browsers come again, and a search takes as long as a query.
@lru_cache(5_000)
def is_opened_by_person(
    agent: str | None,
    destination: str | None,
    htmx_request: str | None,
    htmx_boosted: str | None,
    *purposes: str | None,
) -> bool:
    """False for programs, parts of pages, requests of scripts and prefetches; takes the values of HEADERS."""
    if any((purpose or "").lower().startswith(("prefetch", "preview")) for purpose in purposes):
        return False
    is_page = destination in (None, "document") if htmx_request is None else htmx_boosted == "true"
    return is_page and not is_bot(agent or "")


def is_bot(agent: str) -> bool:
    """Whether a User-Agent is missing or names a program."""
    return not agent or BOT_PATTERN.search(agent) is not None


class GatheredViews:
    """Views that wait to be counted; `identify` runs in the thread that counts."""

    def __init__(self, identify: Identify) -> None:
        self._identify = identify
        self._views: Counter[tuple[Scope, bytes]] = Counter()
        self._bytes = 0

    def add(self, match: ResolverMatch, headers: Mapping[bytes, bytes]) -> bytes:
        """Remember a view if a person opened the page; returns Set-Cookie for a new browser, else b""."""
        if not is_opened_by_person(*map(_decode, map(headers.get, _HEADER_NAMES))):
            return b""
        cookies, new_cookie = headers.get(b"cookie", b""), b""
        if not visitors.valid_value(find_cookie(cookies, _COOKIE_NAME)):
            value = visitors.new_value()
            new_cookie = visitors.set_cookie_header(value)
            cookies = f"{visitors.COOKIE_NAME}={value}; ".encode() + cookies
        self._remember(page_kinds.resolve_scope(match), cookies)
        return new_cookie

    def count(self) -> None:
        """Count what is gathered; waits for Redis."""
        views, self._views, self._bytes = self._views, Counter(), 0
        headers = [cookies.decode("latin-1") for _, cookies in views]
        try:
            users = self._identify(headers)
            found: Counter[View] = Counter()
            for (scope, _), times, cookies, user_id in zip(
                views, views.values(), headers, users, strict=True
            ):
                value = visitors.valid_value(parse_cookie(cookies).get(visitors.COOKIE_NAME, ""))
                if value:
                    found[View(scope, visitors.digest(value), user_id)] += times
            counting.count_many(found)
        except Exception:  # nobody waits for this thread's result, so nobody else would hear of it
            log.exception("%d views were not counted", views.total())

    def _remember(self, scope: Scope, cookies: bytes) -> None:
        if not self._views:
            loop = asyncio.get_running_loop()
            loop.call_later(COUNT_EVERY_SECONDS, counting.run_in_background, self.count)
        has_room = len(self._views) < MAX_GATHERED and self._bytes < MAX_GATHERED_BYTES
        if has_room and len(cookies) <= MAX_COOKIE_BYTES:
            self._bytes += len(cookies)
            self._views[scope, cookies] += 1


def _decode(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")
