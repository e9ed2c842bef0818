"""Reads from a request which document it wants and in which form, without Django."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.utils.translation import get_language_from_request

from apps.front.documents import variants
from apps.front.documents.documents import ENCODINGS
from apps.front.head_fields import find_cookie
from apps.front.protocol import asks_for_lens
from apps.front.short_cache import short_cache
from apps.web import request_origin

#: Values of headers that are kept with what they mean: browsers send a few thousand, forgers any number.
MAX_CACHED_HEADERS = 4_096
#: Longest host with its port: documents are kept by it.
MAX_HOST_LENGTH = 300
#: Paths of shared pages have no other characters; a longer path is none of them.
_PATH_PATTERN = re.compile(r"/[A-Za-z0-9/_-]{0,100}")
#: A request with one of these goes to Django: it wants a part of the page, or brings a body.
DJANGO_HEADERS = frozenset((b"hx-request", b"transfer-encoding", b"content-length"))
_LANGUAGE_COOKIE = settings.LANGUAGE_COOKIE_NAME.encode()
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


def read(path: str, scheme: str, headers: Mapping[bytes, bytes]) -> PageRequest | None:
    """The request of a GET or HEAD without query; None when Django has to answer."""
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
    return DocumentKey(path, language, *origin, variant) if origin else None


@short_cache(MAX_CACHED_HEADERS)
def is_page_path(path: str) -> bool:
    """Whether a path may be that of a shared page."""
    return _PATH_PATTERN.fullmatch(path) is not None


def find_language(cookies: bytes, accept_language: bytes) -> str:
    """The language in which Django's LocaleMiddleware would answer."""
    return _choose_language(find_cookie(cookies, _LANGUAGE_COOKIE), accept_language)


@short_cache(MAX_CACHED_HEADERS)
def _choose_language(cookie: str, accept_language: bytes) -> str:
    request = HttpRequest()
    request.COOKIES = {settings.LANGUAGE_COOKIE_NAME: cookie} if cookie else {}
    request.META = {"HTTP_ACCEPT_LANGUAGE": accept_language.decode("latin-1")}
    return get_language_from_request(request)


@short_cache(MAX_CACHED_HEADERS)
def choose_encoding(accept_encoding: bytes) -> bytes:
    """The best of ENCODINGS that the client accepts."""
    accepted = {}
    for entry in accept_encoding.lower().split(b","):
        name, _, quality = entry.partition(b";")
        accepted[name.strip()] = quality.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return next(name for name in ENCODINGS if not name or accepted.get(name, accepted.get(b"*", False)))


@short_cache(MAX_CACHED_HEADERS)
def find_origin(
    scheme: str, host: bytes | None, proto: bytes | None, forwarded_host: bytes | None
) -> tuple[str, str] | None:
    """(scheme, host) that the client used; None for a host or a scheme that Django refuses or redirects."""
    found_scheme, found_host = request_origin.scheme_and_host(
        scheme,
        (host or b"").decode("latin-1"),
        forwarded_proto=proto.decode("latin-1") if proto else None,
        forwarded_host=forwarded_host.decode("latin-1") if forwarded_host else None,
        trusted_proxies=settings.TRUSTED_PROXIES,
    )
    domain, _port = split_domain_port(found_host)
    is_long = len(found_host) > MAX_HOST_LENGTH
    if is_long or not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return None
    must_redirect = settings.SECURE_SSL_REDIRECT and found_scheme != "https"
    return None if must_redirect else (found_scheme, found_host)


def forget_settings() -> None:
    """Forget what was decided by settings that a test has changed."""
    find_origin.cache_clear()
    _choose_language.cache_clear()
