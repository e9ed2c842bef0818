"""Translates a Celery broker URL into a URL for this site's Redis client."""

from urllib.parse import parse_qs, urlsplit

#: Schemes that Celery and redis_kit.client write alike.
_CLIENT_SCHEMES = {"redis", "rediss", "unix"}


def client_url(celery_url: str, *, default: str) -> str:
    """Return the redis_kit.client URL of a Celery broker URL; `default` for another broker (tests).

    redis+socket:///path?virtual_host=1 -> unix:///path?db=1,
    sentinel://h1:26379;sentinel://h2:26379 -> redis+sentinel://h1:26379,h2:26379.
    """
    first, *more = celery_url.split(";")
    parts = urlsplit(first)
    if parts.scheme == "redis+socket":
        number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
        return f"unix://{parts.path}?db={number}"
    if parts.scheme == "sentinel":
        hosts = [urlsplit(one).netloc for one in (first, *more)]
        return f"redis+sentinel://{','.join(hosts)}{parts.path}"
    return celery_url if parts.scheme in _CLIENT_SCHEMES else default
