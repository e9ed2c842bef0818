"""The site's one ASGI application: routes in the event loop, Django behind them.

    application = Front([claims, personal, live, documents], django, gate=gate, observers=[log, times])

The HTTP protocol (front.protocol) asks the routes; what none of them reads arrives here. A server with
another protocol has Django answer everything.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from apps.front.gate import Gate
from apps.front.lens import Lens
from apps.front.observe import Answered, Observer
from apps.front.origin import api_origin_headers
from apps.front.response import Response
from apps.front.route import Message, Route

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
_HTML = b"text/html"


class Front:
    """The application with its routes; observers get each answered request, whoever answers it."""

    def __init__(
        self,
        routes: Sequence[Route],
        django: Application,
        *,
        gate: Gate | None = None,
        observers: Sequence[Observer] = (),
        lens: Lens | None = None,
    ) -> None:
        self.gate, self.observers, self.lens = gate or Gate(), observers, lens
        self._answered: list[Answered] = []
        #: The routes of each method, in their order.
        self.routes: dict[bytes, list[Route]] = {}
        for route in routes:
            for method in route.methods:
                self.routes.setdefault(method, []).append(route)
        self._django = django

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self.observers:
            await self._answer(scope, receive, send)
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
            await self._answer(scope, receive, send_noted)
        finally:
            self.notify(_read_answer(scope, start, time.monotonic() - began, size))

    def notify(self, answered: Answered) -> None:
        """Tell the observers of an answered request, together with others of this turn of the event loop."""
        if not self._answered:
            asyncio.get_running_loop().call_soon(self._tell_observers)
        self._answered.append(answered)

    def _tell_observers(self) -> None:
        answered, self._answered = self._answered, []
        for observer in self.observers:
            observer(answered)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_closed = self.gate.switch.closed is not None and scope["type"] == "http"
        refusal = await self.gate.refuse(scope) if is_closed else None
        if refusal:
            more = api_origin_headers(scope["path"].encode(), dict(scope["headers"]))
            await Response(refusal.status, [*refusal.headers, *more], refusal.body).send(send)
        else:
            await self._django(scope, receive, send)


def _read_answer(scope: Scope, start: Mapping[str, Any], seconds: float, size: int) -> Answered:
    client, method, path = scope.get("client"), scope["method"].encode(), scope["path"].encode()
    peer = client[0] if client else ""
    request = Message(method, path, scope.get("scheme", "http"), dict(scope["headers"]), peer, b"")
    is_html = any(name == b"content-type" and value.startswith(_HTML) for name, value in start["headers"])
    return Answered(request, "", start["status"], seconds, size, is_html)
