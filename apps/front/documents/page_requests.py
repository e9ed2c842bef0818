"""Reads from a request which document it wants and in which form, without Django."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from django.contrib.messages.storage.cookie import CookieStorage

from apps.front.documents import variants
from apps.front.documents.variants import Variant
from apps.front.encoding import choose_encoding
from apps.front.head_fields import find_cookie
from apps.front.language import choose_language, find_language
from apps.front.lens import asks_for_lens
from apps.front.origin import find_origin
from apps.front.short_cache import MAX_CACHED_HEADERS, short_cache

#: Paths of shared pages have no other characters; a longer path is none of them.
_PATH_PATTERN = re.compile(r"/[A-Za-z0-9/_-]{0,100}")
#: A request with one of these goes to Django: it wants a part of the page, or brings a body.
DJANGO_HEADERS = frozenset((b"hx-request", b"transfer-encoding", b"content-length"))
#: Parameters by which senders of links count their readers; no view reads them. `from` and `isappinstalled`
#: are WeChat's.
_MARKS = re.compile(
    r"(?:(?:utm_[a-z]+|fbclid|gclid|dclid|gbraid|wbraid|gad_source|msclkid|yclid|twclid|ttclid|li_fat_id|igshid"
    r"|igsh|mc_cid|mc_eid|_ga|_gl|spm|bd_vid|qz_gdt|from|isappinstalled)=(?:[^&;%#\x00-\x20]|%(?!00))*(?:&|$))+"
)
#: Django's messages for this browser ("Saved."): the page that shows them is its own.
_MESSAGES_COOKIE = CookieStorage.cookie_name.encode()


class DocumentKey(NamedTuple):
    """What a document depends on."""

    path: str
    language: str
    scheme: str
    host: str
    variant: str = ""


class PageRequest(NamedTuple):
    """A request for a document; `headers` by name in small letters."""

    key: DocumentKey
    encoding: bytes
    if_none_match: bytes | None
    headers: Mapping[bytes, bytes]
    #: Where the reader's address chooses among the page's variants: these, and the address.
    by_address: Variant | None = None
    address: str = ""


def read(path: str, scheme: str, headers: Mapping[bytes, bytes]) -> PageRequest | None:
    """The request of a GET or HEAD whose query chooses nothing; None when Django has to answer."""
    path, _, query = path.partition("?")
    if not has_only_marks(query):
        return None
    if not DJANGO_HEADERS.isdisjoint(headers) or not is_page_path(path):
        return None
    is_own = find_cookie(headers.get(b"cookie", b""), _MESSAGES_COOKIE) or asks_for_lens(headers)
    key = None if is_own else read_key(path, scheme, headers)
    encoding = choose_encoding(headers.get(b"accept-encoding", b""))
    return PageRequest(key, encoding, headers.get(b"if-none-match"), headers) if key else None


def read_key(path: str, scheme: str, headers: Mapping[bytes, bytes]) -> DocumentKey | None:
    """What the answer to a request depends on; None when Django refuses or redirects it."""
    origin = find_origin(
        scheme, headers.get(b"host"), headers.get(b"x-forwarded-proto"), headers.get(b"x-forwarded-host")
    )
    language = find_language(headers.get(b"cookie", b""), headers.get(b"accept-language", b""))
    variant = variants.find(path, headers.get(b"cookie", b""))
    return DocumentKey(path, language, *origin, variant) if origin and variant is not None else None


def has_only_marks(query: str) -> bool:
    """Whether a query is empty, or says only by which link a person came: the page is the same."""
    return not query or _MARKS.fullmatch(query) is not None


@short_cache(MAX_CACHED_HEADERS)
def is_page_path(path: str) -> bool:
    """Whether a path may be that of a shared page."""
    return _PATH_PATTERN.fullmatch(path) is not None


def forget_settings() -> None:
    """Forget what was decided by settings that a test has changed."""
    find_origin.cache_clear()
    choose_language.cache_clear()
