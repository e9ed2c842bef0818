"""Sends requests to an ASGI application within the test's process, without a server."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from apps.redis_kit import client

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class AsgiResponse:
    """One response: its status, its headers by lower-case name, and its body."""

    status: int
    headers: dict[str, str]
    body: str


async def send_request(
    application: Application,
    path: str,
    *,
    method: str = "POST",
    headers: Headers = [],  # noqa: B006 - read only
    query: str = "",
    body: bytes = b"",
    host: str = "testserver",
) -> AsgiResponse:
    """Send one request and return the application's response."""
    said: list[dict[str, Any]] = []
    given = [("host", host), *headers]

    unread = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in unread:
            return message
        await asyncio.Event().wait()
        raise AssertionError("the client stays until it has its answer")

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    await application(_build_scope(method, path, query, given), receive, send)
    start, parts = said[0], said[1:]
    found = {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]}
    return AsgiResponse(start["status"], found, b"".join(part.get("body", b"") for part in parts).decode())


def run_together(*asked: Callable[[], Awaitable[AsgiResponse]]) -> list[AsgiResponse]:
    """Start several requests together in one event loop and return their responses in order."""

    async def run() -> list[AsgiResponse]:
        try:
            return list(await asyncio.gather(*(one() for one in asked)))
        finally:
            await client.aclose_all()

    return asyncio.run(run())


def _build_scope(method: str, path: str, query: str, headers: Headers) -> dict[str, Any]:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 40000),
    }
