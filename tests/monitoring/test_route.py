"""The event loop says that the process lives while nothing else of it answers."""

from typing import Any

import pytest
from django.test import Client

from apps.monitoring.route import HealthRoute
from tests.protocol_client import Connection


async def busy(*_: Any) -> None:
    raise AssertionError("Django is not asked")


@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
async def test_it_is_answered_without_django(method: bytes) -> None:
    connection = Connection(HealthRoute(), application=busy)
    connection.send(method + b" /healthz HTTP/1.1\r\nHost: testserver\r\n\r\n")
    assert connection.transport.written.startswith(b"HTTP/1.1 200 OK")
    assert connection.transport.written.endswith(b'{"status": "alive"}' if method == b"GET" else b"\r\n\r\n")


async def test_it_says_what_the_view_says(client: Client) -> None:
    viewed = client.get("/healthz")
    answered = await Connection(HealthRoute(), application=busy).answer(
        b"GET /healthz HTTP/1.1\r\nHost: testserver\r\n\r\n"
    )
    assert (answered.status, answered.body) == (viewed.status_code, viewed.content.decode())
    said = {name: value for name, value in answered.headers.items() if name not in ("date", "content-length")}
    assert said.items() <= {name.lower(): value for name, value in viewed.headers.items()}.items()
