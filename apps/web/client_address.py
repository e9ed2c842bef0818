"""The client's IP address behind trusted proxies, and the networks that one customer controls."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
UNKNOWN_IP = "0.0.0.0"  # noqa: S104 - a name for "no address", nothing is bound to it
#: A proxy on this machine adds one of these for a client elsewhere.
FORWARDING_HEADERS = ("X-Forwarded-For", "X-Real-IP", "Forwarded", "Via")
#: One IPv6 customer owns at least a /64; neighbours of one IPv4 /24 often belong together.
SITE_PREFIX_BITS = {4: 32, 6: 64}
NEIGHBOURHOOD_PREFIX_BITS = {4: 24, 6: 48}


def client_ip(request: HttpRequest) -> str:
    """The client's address of one of Django's requests."""
    meta = request.META
    return forwarded_ip(str(meta.get("REMOTE_ADDR", "")), str(meta.get("HTTP_X_FORWARDED_FOR", "")))


def forwarded_ip(peer: str, forwarded: str) -> str:
    """The address that the outermost of settings.TRUSTED_PROXIES saw, counted from the right.

    `peer` is the connection's address, `forwarded` its X-Forwarded-For. What a client writes into that header
    is further left and is never read.
    """
    seen = [part.strip() for part in forwarded.split(",")]
    chain = [*filter(None, seen), peer]
    return str(
        parse_address(chain[max(0, len(chain) - 1 - settings.TRUSTED_PROXIES)])
        or parse_address(peer)
        or UNKNOWN_IP
    )


def parse_address(text: str) -> Address | None:
    """An address without zone, IPv4 also from its IPv6 form; None for other text."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def is_from_this_machine(request: HttpRequest) -> bool:
    """Whether a program on this machine sent one of Django's requests, and not a proxy for a client."""
    if any(name in request.headers for name in FORWARDING_HEADERS):
        return False
    peer = parse_address(str(request.META.get("REMOTE_ADDR", "")))
    return peer is not None and peer.is_loopback


def site_network(ip: str) -> str:
    """The addresses that one customer can vary: the IPv4 address itself, or the IPv6 /64."""
    return _network_around(ip, SITE_PREFIX_BITS)


def neighbourhood_network(ip: str) -> str:
    """The IPv4 /24 or IPv6 /48 around an address."""
    return _network_around(ip, NEIGHBOURHOOD_PREFIX_BITS)


def _network_around(ip: str, bits: dict[int, int]) -> str:
    address = parse_address(ip) or ipaddress.ip_address(UNKNOWN_IP)
    return str(ipaddress.ip_network(f"{address}/{bits[address.version]}", strict=False))
