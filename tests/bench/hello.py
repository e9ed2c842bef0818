"""Minimal WSGI and ASGI applications, the yardsticks for the flash sale's endpoint."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

BODY = b'{"order_id": "123456789012345678"}'
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))]
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS]


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    start_response("201 Created", HEADERS)
    return [BODY]


async def asgi_application(
    scope: dict[str, Any], receive: object, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    await send({"type": "http.response.start", "status": 201, "headers": RAW_HEADERS})
    await send({"type": "http.response.body", "body": BODY})
