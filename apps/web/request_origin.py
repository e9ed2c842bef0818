"""Scheme and host that a client used, also behind a proxy that ends TLS.

settings.TRUSTED_PROXIES says whether the last proxy's X-Forwarded-Proto and X-Forwarded-Host are believed.
The functions take and give plain values, for the event loop and Django alike.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

DEFAULT_PORTS = {"http": ":80", "https": ":443"}
#: What stands before the path in a member for addresses; a space follows the colon, or none.
_NAME_ENDS = (b'_url"', b'[{, ]"url"', b'[{, ]"avatar"', b'[{, ]"picture"')
_BEFORE = b"|".join(b'(?<=%b:%b"/)' % (end, space) for end in _NAME_ENDS for space in (b"", b" "))
#: The start of such a path: the rarest part first. A text can't hold it, as its quotes are escaped.
_PATH_START = re.compile(b'"/(?!/)(?:%b)' % _BEFORE)


def scheme_and_host(
    scheme: str,
    host: str,
    *,
    forwarded_proto: str | None = None,
    forwarded_host: str | None = None,
    trusted_proxies: int,
) -> tuple[str, str]:
    """("https", "savor.example"): the connection's scheme and the Host header, or what trusted proxies say.

    Several values of a header come joined by commas: the last one is the last proxy's.
    """
    if not trusted_proxies:
        return scheme, host
    proto = _last_value(forwarded_proto).lower()
    return proto if proto in DEFAULT_PORTS else scheme, _last_value(forwarded_host) or host


def build_origin(scheme: str, host: str) -> str:
    """The origin as browsers write it: "https://savor.example", small letters, no default port."""
    return f"{scheme}://{host.lower().removesuffix(DEFAULT_PORTS.get(scheme, ''))}"


def own() -> tuple[str, str]:
    """The scheme and host by which the site asks itself, which Django takes: of SITE_URL where they are.

    Without SITE_URL it has one of the allowed hosts.
    """
    site = urlsplit(settings.SITE_URL)
    scheme, host = "https" if settings.SECURE else site.scheme, site.netloc
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        host = (settings.ALLOWED_HOSTS or [host])[0].removeprefix(".")
    return scheme, host


def read(request: HttpRequest) -> str:
    """The scheme and host of a request as they begin its addresses: "https://savor.example"."""
    return f"{request.scheme}://{request.get_host()}"


def complete_addresses(encoded: bytes, origin: str) -> bytes:
    """JSON in which the paths of members (url, …_url, avatar, picture) have become addresses of an origin.

    What makes answers knows paths alone: its copies in Redis and in memory are good for every host.
    """
    return _PATH_START.sub(f'"{origin}/'.encode(), encoded)


def _last_value(header: str | None) -> str:
    return (header or "").rpartition(",")[2].strip()


class ForwardedOriginMiddleware:
    """Lets Django see the scheme and host that the client used; it comes before whatever reads them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        meta = request.META
        scheme, host = scheme_and_host(
            meta.get("wsgi.url_scheme", "http"),
            meta.get("HTTP_HOST", ""),
            forwarded_proto=meta.get("HTTP_X_FORWARDED_PROTO"),
            forwarded_host=meta.get("HTTP_X_FORWARDED_HOST"),
            trusted_proxies=settings.TRUSTED_PROXIES,
        )
        meta["wsgi.url_scheme"] = scheme
        if host:
            meta["HTTP_HOST"] = host
        return self.get_response(request)
