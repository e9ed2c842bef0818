"""Variants of shared pages: few documents of one path, chosen by a cookie that says no more than which.

    VARIANTS.register(Variant("savor_where", read_city), key="/")
    VARIANTS.register(Variant("savor_where", read_city), key="/rankings/*")

The home page is one document for each city, and so is every page right below /rankings/. The view reads the
variant from `request.META[VARIABLE]`.
"""

import re
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote

from apps.front.head_fields import find_cookie
from apps.web.registry import Registry

VARIABLE = "SAVOR_VARIANT"
#: Addresses whose variant a process keeps, and for how long.
MAX_KEPT, KEPT_SECONDS = 4_096, 60.0
#: The last part of a path.
_LAST_PART = re.compile(r"[^/]+/?$")


class Variant(NamedTuple):
    """A cookie's name, and which of the few variants its value means: "" is the page without one.

    None means a value that the event loop can't read yet: Django answers then. Who has no such cookie
    gets the variant that `locate` finds for their address; it may wait, and is None where all get the same.
    An answer by an address is private: a cache in between knows cookies and no addresses.
    """

    cookie: str
    read: Callable[[str], str | None]
    locate: Callable[[str], str | None] = lambda _address: None


#: By path; "*" stands for the last part of one.
VARIANTS: Registry[Variant] = Registry("variants of shared pages")


def find(path: str, cookies: bytes) -> str | None:
    """The variant of a page that a browser with this Cookie header gets: "" for most, None as in Variant."""
    variant = _find(path) if cookies else None
    chosen = find_cookie(cookies, variant.cookie.encode()) if variant else ""
    return variant.read(unquote(chosen)) if variant and chosen else ""


def find_by_address(path: str, cookies: bytes) -> Variant | None:
    """The variants of a page among which the reader's address chooses: no cookie of theirs does."""
    variant = _find(path)
    return variant if variant and not find_cookie(cookies, variant.cookie.encode()) else None


class Addresses:
    """What `locate` found for addresses a moment ago, for an event loop that can't wait for it."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, str | None]] = {}

    def find(self, address: str) -> tuple[str | None] | None:
        """What was found, in a tuple of one; None for an address that has to be looked up."""
        at, variant = self._found.get(address, (0.0, None))
        return (variant,) if at and time.monotonic() - at < KEPT_SECONDS else None

    def locate(self, variant: Variant, address: str) -> str | None:
        """Look an address up, in a thread, and keep it."""
        found = variant.locate(address)
        if len(self._found) >= MAX_KEPT:
            self._found.clear()
        self._found[address] = time.monotonic(), found
        return found


def _find(path: str) -> Variant | None:
    return VARIANTS.get(path) or VARIANTS.get(_LAST_PART.sub("*", path))
