"""Which addresses that strangers give the site sends requests to: public ones over https.

Webhooks of shops and the push services of browsers are such. The name is looked up again at each request, and
the connection goes to the address that was checked: a name that points into the site's own network, now or at
another time of day, reaches nothing there. On a demo, which is for its own machine alone, http and any port
of any address are fine.
"""

import ipaddress
import socket
import threading
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.web.problems import Problem
from apps.web.stored_texts import Template

MAX_URL_LENGTH = 500
#: Ports of web servers; others are of mail, databases and the like.
PORTS = frozenset({443, 8443})
#: All that IANA has given out for hosts of the public internet. What stands outside is of a network's own, or
#: another way to write an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), by NAT64 (64:ff9b::/96).
_IPV6_UNICAST = ipaddress.IPv6Network("2000::/3")
#: IANA's registries of special-purpose addresses (RFC 6890), with blocks that they call globally reachable:
#: relays, anycast services and sinks, none of which is anybody's web server. `is_global` alone knows those of
#: its Python's day.
_SPECIAL_IPV4 = [
    ipaddress.IPv4Network(block)
    for block in """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
    192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
    198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    """.split()
]
#: Those within 2000::/3, Teredo (2001::/32) and 6to4 (2002::/16) among them.
_SPECIAL_IPV6 = [
    ipaddress.IPv6Network(block)
    for block in "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20".split()
]


#: A form says it in its reader's language, a worker in English.
NO_SERVER = Template(gettext_noop("There is no server of this name."))
NOT_PUBLIC = Template(gettext_noop("This is no address of the public internet."))


class Unreachable(Exception):
    """The name has no address that a request may go to; the text says why, for who gave it."""


def parse(url: str) -> SplitResult:
    """The parts of an URL; Problem 422 bad_address with the reason."""
    text = url.strip()
    if not text.isascii() or not text.isprintable() or " " in text or len(text) > MAX_URL_LENGTH:
        raise _bad(_("Type a plain address of at most %(count)d letters.") % {"count": MAX_URL_LENGTH})
    try:
        parts = urlsplit(text)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise _bad(_("This is no address.")) from None
    if parts.scheme != "https" and not (settings.DEMO and parts.scheme == "http"):
        raise _bad(_("The address must begin with https://."))
    if not parts.hostname or "\\" in text or parts.username is not None or parts.fragment:
        raise _bad(_("This is no address."))
    if port not in PORTS and not settings.DEMO:
        raise _bad(_("The port must be one of %(ports)s.") % {"ports": ", ".join(map(str, sorted(PORTS)))})
    return parts


def require_reachable(url: str, *, seconds: float) -> None:
    """Problem 422 bad_address unless the name has a public address now."""
    parts = parse(url)
    try:
        resolve(parts.hostname or "", seconds=seconds)
    except Unreachable as error:
        raise _bad(str(error)) from None


def resolve(host: str, *, seconds: float) -> str:
    """An IP address of a host that a request may go to; raises Unreachable, after so many seconds at most.

    One private address among several refuses the host.
    """
    found = _look_up(host, seconds)
    if not found:
        raise Unreachable(_(NO_SERVER.text))
    if not settings.DEMO and not all(map(_is_public, found)):
        raise Unreachable(_(NOT_PUBLIC.text))
    return found[0]


def _look_up(host: str, seconds: float) -> list[str]:
    """The addresses of a name; a look-up knows no deadline, so it is left behind in its thread."""
    found: list[str] = []

    def query() -> None:
        try:
            answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(str(answer[4][0]) for answer in answers)

    thread = threading.Thread(target=query, daemon=True)
    thread.start()
    thread.join(seconds)
    return list(found)


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        is_special = address not in _IPV6_UNICAST or any(address in block for block in _SPECIAL_IPV6)
    else:
        is_special = any(address in block for block in _SPECIAL_IPV4)
    return address.is_global and not is_special


def _bad(sentence: str) -> Problem:
    return Problem(422, "bad_address", sentence)
