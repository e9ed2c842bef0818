"""Who asks, as far as the network can tell: the client's address and the network one household shares."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
UNKNOWN = "0.0.0.0"  # noqa: S104 - a name for "no address", nothing is bound to it
#: One IPv6 customer owns at least a /64; neighbours of one IPv4 /24 often belong together.
SITE_BITS = {4: 32, 6: 64}
NEIGHBOURHOOD_BITS = {4: 24, 6: 48}


def client_ip(request: HttpRequest) -> str:
    """The address that the outermost of settings.TRUSTED_PROXIES saw, counted from the right.

    What a client writes into X-Forwarded-For stands further left and is never read.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    seen = [part.strip() for part in str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")]
    chain = [*filter(None, seen), peer]
    return str(parse(chain[max(0, len(chain) - 1 - settings.TRUSTED_PROXIES)]) or parse(peer) or UNKNOWN)


def parse(text: str) -> Address | None:
    """An address without zone, an IPv4 one also out of its IPv6 form; None when it is none."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def site(ip: str) -> str:
    """What one customer can vary: the IPv4 address itself, or the IPv6 /64."""
    return _network(ip, SITE_BITS)


def neighbourhood(ip: str) -> str:
    """The IPv4 /24 or IPv6 /48 around an address."""
    return _network(ip, NEIGHBOURHOOD_BITS)


def _network(ip: str, bits: dict[int, int]) -> str:
    address = parse(ip) or ipaddress.ip_address(UNKNOWN)
    return str(ipaddress.ip_network(f"{address}/{bits[address.version]}", strict=False))
