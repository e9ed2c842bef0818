"""Reads a Celery broker URL: as Celery wants it, and as a URL for this site's Redis client.

sentinel://user:password@h1:26379/0?service=sales&sentinel_password=secret;sentinel://h2:26379
"""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from apps.redis_kit import addresses

#: Schemes that Celery and redis_kit.client write alike.
_CLIENT_SCHEMES = {"redis", "rediss", "unix"}


def celery_url(client_url: str) -> str:
    """Return a client's URL as Celery writes it: unix:///path?db=1 -> redis+socket:///path?virtual_host=1."""
    parts = urlsplit(client_url)
    if parts.scheme != "unix":
        return client_url
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return parts._replace(scheme="redis+socket", query=f"virtual_host={number}").geturl()


def client_url(celery_url: str, *, default: str) -> str:
    """Return the redis_kit.client URL of a Celery broker URL; `default` for another broker (tests).

    redis+socket:///path?virtual_host=1 -> unix:///path?db=1,
    sentinel://h1:26379;sentinel://h2:26379 -> redis+sentinel://h1:26379,h2:26379.
    """
    first, *more = celery_url.split(";")
    parts = urlsplit(first)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
        return f"unix://{parts.netloc}{parts.path}?db={number}"
    if parts.scheme == "sentinel":
        login, at, _place = parts.netloc.rpartition("@")
        hosts = [urlsplit(one).netloc.rpartition("@")[2] for one in (first, *more)]
        query = f"?{parts.query}" if parts.query else ""
        return f"redis+sentinel://{login}{at}{','.join(hosts)}{parts.path}{query}"
    return celery_url if parts.scheme in _CLIENT_SCHEMES else default


def split_options(celery_url: str) -> tuple[str, dict[str, Any]]:
    """The URL for Celery, and what it wants to know about Sentinels as transport options instead."""
    if not celery_url.startswith("sentinel://"):
        return celery_url, {}
    there = addresses.parse(client_url(celery_url, default=""))
    hosts = [urlsplit(one)._replace(query="").geturl() for one in celery_url.split(";")]
    return ";".join(hosts), {"master_name": there.service, "sentinel_kwargs": there.sentinel_login}
