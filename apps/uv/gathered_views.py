"""Counts the views of pages that the event loop serves: gathered in the process, counted once a second.

A reader costs a look at a few headers; who it was is found out when the views are counted.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from django.http import parse_cookie
from django.urls import ResolverMatch

from apps.front.head_fields import find_cookie
from apps.uv import counting, page_kinds, page_views, visitors
from apps.uv.counting import View
from apps.uv.page_kinds import Scope

#: Seconds between two countings.
COUNT_EVERY_SECONDS = 1.0
#: Different views that may wait: more come only while Redis is slow, and are not counted.
MAX_GATHERED = 50_000
#: Bytes of their Cookie headers, and of one: a browser of ours sends some hundred.
MAX_GATHERED_BYTES, MAX_COOKIE_BYTES = 32 * 1024 * 1024, 8 * 1024
_HEADER_NAMES = tuple(name.lower().encode() for name in page_views.HEADERS)
_COOKIE_NAME = visitors.COOKIE_NAME.encode()

log = logging.getLogger(__name__)
#: The user ids behind Cookie headers, None for a visitor's.
Identify = Callable[[Sequence[str]], Sequence[int | None]]


class GatheredViews:
    """Views that wait to be counted; `identify` runs in the thread that counts."""

    def __init__(self, identify: Identify) -> None:
        self._identify = identify
        self._views: Counter[tuple[Scope, bytes]] = Counter()
        self._bytes = 0

    def add(self, match: ResolverMatch, headers: Mapping[bytes, bytes]) -> bytes:
        """Remember a view if a person opened the page; returns Set-Cookie for a new browser, else b""."""
        if not page_views.is_opened_by_person(*map(_decode, map(headers.get, _HEADER_NAMES))):
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
