"""Minimal WSGI and ASGI applications, the yardsticks for the flash sale's endpoint."""

import os
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


#: By path: a text of so many bytes.
SIZED = {f"/{size}": b"h" * int(size) for size in os.environ.get("HELLO_SIZES", "").split()}


async def sized_application(
    scope: dict[str, Any], receive: object, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    body = SIZED[scope["path"]]
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
