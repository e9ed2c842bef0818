"""rediss+sentinel and rediss+cluster: every connection has TLS, and the authority is checked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from apps.redis_kit import addresses, client, transport
from tests.nginx_proxy import make_certificate
from tests.redis_kit.keys import COUNTER
from tests.redis_kit.test_sentinel import connections_at
from tests.redis_nodes import cluster, sentinel

pytestmark = pytest.mark.redis_nodes
NAME = COUNTER(name="over-tls")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    make_certificate(folder)
    return folder


@pytest.fixture(scope="module", params=["sentinel", "cluster"])
def url(
    request: pytest.FixtureRequest, certificate: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Servers that take connections with TLS alone, also from each other."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "sentinel":
        with sentinel.run_sentinels(folder, tls=certificate) as watched:
            yield watched.url
    else:
        with cluster.run_cluster(folder, replicas=0, tls=certificate) as nodes:
            yield nodes.url


async def call_both() -> list[Any]:
    """The answers of the sync client, its transport, the async client and its transport."""
    connected = client.get()
    connected.set(NAME, "1")
    try:
        return [
            *transport.execute_many(connected, [("INCR", NAME)]),
            await client.aget().incr(NAME),
            *await client.async_transport().execute_many([("INCR", NAME)]),
        ]
    finally:
        connected.delete(NAME)
        await client.aclose_all()


async def test_both_kinds_of_client_work_over_tls(url: str, settings: Settings) -> None:
    with connections_at(settings, url):
        assert await call_both() == [2, 3, 4]


@pytest.mark.parametrize("change", ["authority", "plain"])
async def test_no_connection_without_the_authority_or_without_tls(
    url: str, change: str, settings: Settings, tmp_path: Path
) -> None:
    make_certificate(tmp_path)
    if change == "plain":
        wrong = url.replace("rediss+", "redis+")
    else:
        wrong = url.partition("ssl_ca_certs=")[0] + f"ssl_ca_certs={tmp_path / 'fullchain.pem'}"
    with connections_at(settings, wrong):
        with pytest.raises(client.UNAVAILABLE):
            client.get().ping()
        with pytest.raises(client.UNAVAILABLE):
            await client.aget().ping()
        await client.aclose_all()


def test_a_url_with_tls_has_the_same_parts() -> None:
    there = addresses.parse("rediss+sentinel://:word@h1:1,h2:2/3?service=s&ssl_ca_certs=/ca.pem")
    assert (there.kind, there.nodes, there.service) == ("sentinel", [("h1", 1), ("h2", 2)], "s")
    assert there.login == {"username": None, "password": "word", "db": 3}
    assert (there.is_tls, there.tls) == (True, {"ssl_ca_certs": "/ca.pem"})
    assert addresses.parse("rediss+cluster://h1:1").is_tls
    assert not addresses.parse("redis+cluster://h1:1/?ssl_ca_certs=/ca.pem").tls
