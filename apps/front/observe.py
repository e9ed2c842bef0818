"""One record of each answered request, which whoever measures hears: the access log, the times of routes.

    observe.add(time_answer)     # time_answer(Answered(route="shops:detail", status=200, seconds=0.00006, …))

The protocol tells of what it answers itself, ObservedApplication of all other requests. Without an observer a
request costs one look at an empty tuple.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.urls import resolve

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: In the environment of a request that the site makes of itself, such as for a document of many readers.
INTERNAL = "savor.internal"
#: In the scope of a request that the event loop has answered: the name of its route.
ROUTE = "savor.route"
_HTML = b"text/html"


class Request(NamedTuple):
    """The head of an answered request; `target` is its path with the query, `peer` an address."""

    method: str
    target: str
    fields: Mapping[bytes, bytes]
    peer: str


class Answered(NamedTuple):
    """An answer that ends now.

    `route` is "" where Django answered, which times its views by itself; `bytes` are the body's, None of a
    stream that stays open.
    """

    request: Request
    route: str
    status: int
    seconds: float
    bytes: int | None
    is_html: bool = False


#: Called after each answer, in the event loop: be quick, and never raise.
Observer = Callable[[Answered], object]
#: Empty where nothing is measured: then look no further.
observers: tuple[Observer, ...] = ()


def add(observer: Observer) -> None:
    """Call the observer after each request from now on, in this process."""
    global observers
    observers = (*observers, observer)


def remove(observer: Observer) -> None:
    """Call it no more; nothing happens if it is not registered."""
    global observers
    observers = tuple(other for other in observers if other != observer)


def notify(answered: Answered) -> None:
    """Tell the observers of an answered request."""
    for observer in observers:
        observer(answered)


@lru_cache(maxsize=32)
def route_name(path: str) -> str:
    """The name of the route of a path that is always the same, or stands for all of its kind."""
    return resolve(path).view_name


class ObservedApplication:
    """The application, of each of whose answers the observers hear; one that fails answers 500."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not observers:
            await self._application(scope, receive, send)
            return
        began, start, size = time.monotonic(), {"status": 500, "headers": []}, 0

        async def send_noted(message: dict[str, Any]) -> None:
            nonlocal size
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._application(scope, receive, send_noted)
        finally:
            notify(_read_answer(scope, start, time.monotonic() - began, size))


def _read_answer(scope: Scope, start: Mapping[str, Any], seconds: float, size: int) -> Answered:
    client = scope.get("client")
    request = Request(scope["method"], scope["path"], dict(scope["headers"]), client[0] if client else "")
    is_html = any(name == b"content-type" and value.startswith(_HTML) for name, value in start["headers"])
    return Answered(request, scope.get(ROUTE, ""), start["status"], seconds, size, is_html)
