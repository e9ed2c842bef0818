"""The least that a WSGI server can be asked: the measure that the sale's endpoint is held against."""

from collections.abc import Callable, Iterable
from typing import Any

BODY = b'{"order_id": "123456789012345678"}'
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))]


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    start_response("201 Created", HEADERS)
    return [BODY]
