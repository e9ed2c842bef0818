import pytest
from django.test import RequestFactory
from pytest_django.fixtures import Settings

from apps.web import client_address


def seen(proxies: int, peer: str, forwarded: str, settings: Settings) -> str:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", headers={"x-forwarded-for": forwarded})
    request.META["REMOTE_ADDR"] = peer
    return client_address.client_ip(request)


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "client"),
    [
        (0, "203.0.113.7", "", "203.0.113.7"),
        (0, "203.0.113.7", "198.51.100.1", "203.0.113.7"),
        (1, "10.0.0.1", "198.51.100.1", "198.51.100.1"),
        (1, "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),
        (2, "10.0.0.2", "1.1.1.1, 198.51.100.1, 10.0.0.1", "198.51.100.1"),
        (2, "10.0.0.2", "198.51.100.1", "198.51.100.1"),
        (1, "10.0.0.1", "not an address", "10.0.0.1"),
        (1, "10.0.0.1", "", "10.0.0.1"),
        (0, "", "", client_address.UNKNOWN_IP),
        (0, "::ffff:203.0.113.7", "", "203.0.113.7"),
        (0, "fe80::1%eth0", "", "fe80::1"),
    ],
)
def test_the_outermost_trusted_proxy_names_the_client(
    proxies: int, peer: str, forwarded: str, client: str, settings: Settings
) -> None:
    assert seen(proxies, peer, forwarded, settings) == client


def test_one_household_is_one_subject() -> None:
    assert client_address.site_network("2001:db8:1:2::1") == client_address.site_network(
        "2001:db8:1:2:ffff::9"
    )
    assert client_address.site_network("2001:db8:1:2::1") != client_address.site_network("2001:db8:1:3::1")
    assert client_address.site_network("203.0.113.7") != client_address.site_network("203.0.113.8")
    assert client_address.neighbourhood_network("203.0.113.7") == client_address.neighbourhood_network(
        "203.0.113.8"
    )
