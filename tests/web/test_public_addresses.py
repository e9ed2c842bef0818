"""Addresses that strangers give: no special-purpose block of IANA's registries is reached, in any form."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from pytest_django.fixtures import Settings

from apps.web import public_addresses

#: All blocks of iana-ipv4-special-registry and iana-ipv6-special-registry, globally reachable ones too,
#: compared with copies of both (IPv6: updated 2025-10-09); then multicast, and what was given back but may
#: still be routed inside a network.
REGISTERED = """
0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24
192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24
198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255/32 ::/128 ::1/128
::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128
2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28
2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10
224.0.0.0/4 ff00::/8 fec0::/10 ::/96 ::ffff:0:0:0/96
""".split()
#: Neighbours of those blocks, and addresses of everybody.
PUBLIC = """
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.31.197.0 192.88.98.255
192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 203.0.114.0
223.255.255.255 2001:200:: 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700:4700::1111 2620:4f:7fff::1
2620:4f:8001::1 3ffe::1
""".split()
INSIDE = ["127.0.0.1", "10.1.2.3", "169.254.169.254"]


@pytest.fixture(autouse=True)
def real_site(settings: Settings) -> None:
    settings.DEMO = False


def is_reached(address: object) -> bool:
    try:
        return public_addresses.resolve(str(address), seconds=5) == str(address)
    except public_addresses.Unreachable:
        return False


@pytest.mark.parametrize("block", REGISTERED)
def test_no_address_of_a_special_block_is_reached(block: str) -> None:
    found = ip_network(block)
    middle = found[found.num_addresses // 2]
    assert [one for one in (found[0], middle, found[-1]) if is_reached(one)] == []


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_reached(address: str) -> None:
    assert is_reached(address)


@pytest.mark.parametrize("address", [*INSIDE, "8.8.8.8"])
def test_an_ipv4_address_in_the_form_of_ipv6_is_not_reached(address: str) -> None:
    """Mapped, compatible, translated, by both prefixes of NAT64, 6to4, Teredo (which inverts it), ISATAP."""
    old = int(IPv4Address(address))
    forms = {
        "mapped": int(IPv6Address("::ffff:0:0")) | old,
        "compatible": old,
        "translated": int(IPv6Address("::ffff:0:0:0")) | old,
        "NAT64": int(IPv6Address("64:ff9b::")) | old,
        "local NAT64": int(IPv6Address("64:ff9b:1::")) | old,
        "6to4": int(IPv6Address("2002::")) | old << 80,
        "Teredo": int(IPv6Address("2001::")) | old ^ 0xFFFFFFFF,
        "Teredo's server": int(IPv6Address("2001::")) | old << 64,
        "ISATAP": int(IPv6Address("fe80::5efe:0:0")) | old,
    }
    assert [name for name, number in forms.items() if is_reached(IPv6Address(number))] == []


def test_one_special_address_among_public_ones_refuses_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_addresses, "_look_up", lambda _host, _seconds: ["8.8.8.8", "fec0::1"])
    with pytest.raises(public_addresses.Unreachable):
        public_addresses.resolve("two.example", seconds=5)


def test_nothing_outside_of_the_given_out_eighth_is_public() -> None:
    """IANA has given out 2000::/3 alone."""
    others = [IPv6Address((eighth << 125) + 0x1234) for eighth in range(8) if eighth != 1]
    assert [one for one in others if is_reached(one)] == []
