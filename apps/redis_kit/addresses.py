"""Connection URLs: where the servers are, and with which names and passwords one gets in.

redis://:password@host:6379/0            unix:///path?db=0             rediss:// with TLS
redis+cluster://user:password@h1:7000,h2:7000
redis+sentinel://user:password@h1:26379,h2:26379/0?service=sales&sentinel_user=watch&sentinel_password=secret

With rediss+cluster and rediss+sentinel every connection has TLS, also to Sentinels (`tls-replication yes`);
?ssl_ca_certs=/path names the certificate authority, as in rediss://.

User and password before the @ are those of the servers. Sentinels have their own, as `sentinel auth-pass`
and `requirepass` in sentinel.conf do. All are percent-decoded, as in redis://.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit, urlunsplit

DEFAULT_SERVICE = "mymaster"
MAX_PORT = 65_535
#: What stands for a password; names in a URL's query whose values are none.
HIDDEN, PUBLIC_OPTIONS = "***", ("db", "service", "virtual_host")
KINDS = {"redis": "single", "rediss": "single", "unix": "single"} | {
    "redis+sentinel": "sentinel",
    "redis+cluster": "cluster",
    "rediss+sentinel": "sentinel",
    "rediss+cluster": "cluster",
}


@dataclass(frozen=True)
class Address:
    """A parsed URL: `nodes` are (host, port) of Sentinels or of a Cluster; logins are options of clients.

    A single server keeps its `url`, which the client reads itself.
    """

    kind: Literal["single", "sentinel", "cluster"]
    url: str
    nodes: list[tuple[str, int]] = field(default_factory=list)
    service: str = ""
    login: dict[str, Any] = field(default_factory=dict, repr=False)
    sentinel_login: dict[str, Any] = field(default_factory=dict, repr=False)
    is_tls: bool = False
    #: Options of connections with TLS.
    tls: dict[str, Any] = field(default_factory=dict)


def parse(url: str) -> Address:
    """The address of a connection URL; ValueError, which repeats nothing of the URL but its scheme."""
    parts = split(url)
    kind = KINDS.get(parts.scheme)
    if kind is None:
        known = "redis, rediss, unix, redis+sentinel, redis+cluster, rediss+sentinel or rediss+cluster"
        raise ValueError(f"REDIS_URL: unknown scheme {parts.scheme!r}: use {known}")
    if kind == "single":
        # The client would read a word as database 0.
        _database("" if parts.scheme == "unix" else parts.path)
        return Address("single", url)
    userinfo, _, places = parts.netloc.rpartition("@")
    user, _, password = userinfo.partition(":")
    login = _login(unquote(user), unquote(password))
    nodes = [_parse_place(place) for place in places.split(",")]
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    is_tls = parts.scheme.startswith("rediss")
    tls = _tls_options(query) if is_tls else {}
    if kind == "cluster":
        return Address("cluster", url, nodes, login=login, is_tls=is_tls, tls=tls)
    return Address(
        "sentinel",
        url,
        nodes,
        query.get("service", DEFAULT_SERVICE),
        login=login | _database(parts.path),
        sentinel_login=_login(query.get("sentinel_user", ""), query.get("sentinel_password", "")),
        is_tls=is_tls,
        tls=tls,
    )


def split(url: str) -> SplitResult:
    """The parts of a URL that may name several hosts; ValueError as of urlsplit.

    Since CVE-2024-11168 Python's own takes brackets round a whole host alone: not two IPv6 addresses.
    """
    scheme, found, rest = url.partition("://")
    place = re.split("[/?#]", rest, maxsplit=1)[0]
    if not found or "," not in place:
        return urlsplit(url)
    return urlsplit(f"{scheme}://{rest[len(place) :]}")._replace(netloc=place)


def _tls_options(query: dict[str, str]) -> dict[str, Any]:
    return {"ssl_ca_certs": query["ssl_ca_certs"]} if "ssl_ca_certs" in query else {}


def _login(user: str, password: str) -> dict[str, Any]:
    return {"username": user or None, "password": password} if password else {}


def _database(path: str) -> dict[str, Any]:
    number = path.strip("/")
    if number and not number.isdecimal():
        raise ValueError("REDIS_URL: what follows the last / is no number of a database")
    return {"db": int(number)} if number else {}


def _parse_place(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) <= MAX_PORT:
        raise ValueError("REDIS_URL: one of its servers is not host:port")
    return host.strip("[]"), int(port)


def hide_passwords(url: str) -> str:
    """The URL for logs, errors and pages: *** for user and password, and for unknown values of its query."""
    try:
        parts = split(url)
    except ValueError:
        return HIDDEN
    _login, at, place = parts.netloc.rpartition("@")
    options = [one.partition("=") for one in parts.query.split("&") if one]
    query = "&".join(
        f"{name}={value if name in PUBLIC_OPTIONS else HIDDEN}" for name, _equals, value in options
    )
    return urlunsplit(parts._replace(netloc=f"{HIDDEN}@{place}" if at else place, query=query))
