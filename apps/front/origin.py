"""Scheme and host that a client used, if the site answers to them."""

from collections.abc import Mapping

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from apps.front.short_cache import MAX_CACHED_HEADERS, short_cache
from apps.web import request_origin

#: Longest host with its port: documents are kept by it.
MAX_HOST_LENGTH = 300


@short_cache(MAX_CACHED_HEADERS)
def find_origin(
    scheme: str, host: bytes | None, proto: bytes | None, forwarded_host: bytes | None
) -> tuple[str, str] | None:
    """(scheme, host) that the client used; None for a host or a scheme that Django refuses or redirects."""
    found_scheme, found_host = _read(scheme, host, proto, forwarded_host)
    is_long = len(found_host) > MAX_HOST_LENGTH
    return (
        None
        if is_long or _must_redirect(found_scheme) or _is_foreign(found_host)
        else (found_scheme, found_host)
    )


@short_cache(MAX_CACHED_HEADERS)
def is_foreign_host(
    scheme: str, host: bytes | None, proto: bytes | None, forwarded_host: bytes | None
) -> bool:
    """Whether Django refuses a request for its host, without a word about its scheme."""
    found_scheme, found_host = _read(scheme, host, proto, forwarded_host)
    return bool(found_host) and not _must_redirect(found_scheme) and _is_foreign(found_host)


def api_origin_headers(target: bytes, fields: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """The headers that let a page of settings.API_ORIGINS read what the event loop answers it."""
    if not settings.API_ORIGINS or not target.startswith(b"/api/"):
        return []
    origin, vary = fields.get(b"origin", b""), (b"vary", b"origin")
    if origin.decode("latin-1") not in settings.API_ORIGINS:
        return [vary]
    exposed = ", ".join(settings.CORS_EXPOSE_HEADERS).encode()
    allow = (b"access-control-allow-origin", origin), (b"access-control-expose-headers", exposed)
    return [*allow, vary]


def asks_before_it_sends(method: str, target: str, fields: Mapping[bytes, bytes]) -> bool:
    """Whether a browser asks if a page of settings.API_ORIGINS may send a request, which Django answers."""
    is_asked = method == "OPTIONS" and b"access-control-request-method" in fields
    return is_asked and (b"access-control-allow-origin", fields.get(b"origin")) in api_origin_headers(
        target.encode(), fields
    )


def _read(
    scheme: str, host: bytes | None, proto: bytes | None, forwarded_host: bytes | None
) -> tuple[str, str]:
    return request_origin.scheme_and_host(
        scheme,
        (host or b"").decode("latin-1"),
        forwarded_proto=proto.decode("latin-1") if proto else None,
        forwarded_host=forwarded_host.decode("latin-1") if forwarded_host else None,
        trusted_proxies=settings.TRUSTED_PROXIES,
    )


def _is_foreign(host: str) -> bool:
    domain, _port = split_domain_port(host)
    return not domain or not validate_host(domain, settings.ALLOWED_HOSTS)


def _must_redirect(scheme: str) -> bool:
    return settings.SECURE_SSL_REDIRECT and scheme != "https"
