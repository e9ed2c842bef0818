"""Puts answered requests into the access log: the ASGI application's, and those that the protocol answers."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from apps.front.protocol import DirectRequest
from apps.front.response import Response
from apps.logship.access_lines import Answer, describe
from apps.logship.access_log import AccessLog

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
_HTML = b"text/html"


class LoggedApplication:
    """The application, each of whose answers becomes a line."""

    def __init__(self, application: Application, log: AccessLog) -> None:
        self._application, self._log = application, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        began, answered = time.perf_counter(), {"status": 500, "headers": []}

        async def send_noted(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answered.update(message)
            await send(message)

        try:
            await self._application(scope, receive, send_noted)
        finally:
            self._log.add(_answer(scope, answered, time.perf_counter() - began))


class DirectAnswers:
    """Puts the answers that a DirectHttpProtocol writes itself into the log."""

    def __init__(self, log: AccessLog) -> None:
        self._log = log

    def note(self, request: DirectRequest, response: Response) -> None:
        self._log.add(
            describe(
                request.method.decode("latin-1"),
                request.url.decode("latin-1"),
                request.fields,
                status=response.status,
                is_html=_HTML in response.head,
                peer=request.peer,
                seconds=time.perf_counter() - request.began,
            )
        )


def _answer(scope: Scope, answered: dict[str, Any], seconds: float) -> Answer:
    is_html = any(name == b"content-type" and value.startswith(_HTML) for name, value in answered["headers"])
    client = scope.get("client")
    return describe(
        scope["method"],
        scope["path"],
        dict(scope["headers"]),
        status=answered["status"],
        is_html=is_html,
        peer=client[0] if client else "",
        seconds=seconds,
    )
