"""Variants of shared pages: few documents of one path, chosen by a cookie that says no more than which.

    VARIANTS.register(Variant("savor_where", read_city), key="/")
    VARIANTS.register(Variant("savor_where", read_city), key="/rankings/*")

The home page is one document for each city, and so is every page right below /rankings/. The view reads the
variant from `request.META[VARIABLE]`.
"""

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote

from apps.front.head_fields import find_cookie
from apps.web.registry import Registry

VARIABLE = "SAVOR_VARIANT"
#: The last part of a path.
_LAST_PART = re.compile(r"[^/]+/?$")


class Variant(NamedTuple):
    """A cookie's name, and which of the few variants its value stands for: "" is the page without one.

    None stands for a value that the event loop can't read yet: Django answers then.
    """

    cookie: str
    read: Callable[[str], str | None]


#: By path; "*" stands for the last part of one.
VARIANTS: Registry[Variant] = Registry("variants of shared pages")


def find(path: str, cookies: bytes) -> str | None:
    """The variant of a page that a browser with this Cookie header gets: "" for most, None as in Variant."""
    variant = VARIANTS.get(path) or VARIANTS.get(_LAST_PART.sub("*", path)) if cookies else None
    chosen = find_cookie(cookies, variant.cookie.encode()) if variant else ""
    return variant.read(unquote(chosen)) if variant and chosen else ""
