"""An HTTP protocol for uvicorn that answers personal parts without ASGI."""

import asyncio
import logging
from typing import Any, ClassVar, cast

from apps.accounts.personal import requests, server
from apps.accounts.personal.answers import Answer
from apps.accounts.personal.requests import PersonalRequest
from apps.accounts.personal.server import PersonalParts, Receive, Scope
from apps.front import observe
from apps.front.protocol import DirectHttpProtocol
from apps.front.response import Response
from apps.redis_kit import client

_PATH = requests.PATH.encode()
log = logging.getLogger(__name__)


class _PersonalWaiter:
    """Receives the answer to one request (redis_kit.batching.Waiter); its connection writes it."""

    __slots__ = ("_connection", "_head", "_scope")

    def __init__(self, connection: "PersonalProtocol", head: Response, scope: Scope) -> None:
        self._connection, self._head, self._scope = connection, head, scope

    def done(self) -> bool:
        """Whether the client has left."""
        return self._connection.has_client_left

    def set_result(self, answer: Answer | None) -> None:
        body = server.encode(answer)
        if body:
            self._connection.finish_direct(self._head.with_body(body))
        else:
            self._connection.start_asking_django(self._scope)

    def set_exception(self, error: Exception) -> None:
        if not isinstance(error, client.UNAVAILABLE):
            log.error("a personal part failed", exc_info=error)
        self._connection.start_asking_django(self._scope)


class PersonalProtocol(DirectHttpProtocol):
    """One connection; the first answer of a variant, and odd requests, are the application's."""

    personal: ClassVar[PersonalParts]

    @property
    def has_client_left(self) -> bool:
        return self._direct.disconnected

    def on_head(self) -> None:
        request = self._read_personal() if self.url.startswith(_PATH) else None
        head = self.personal.heads.get(request.variant) if request else None
        if request is None or head is None:
            super().on_head()
            return
        self.begin_direct(observe.route_name(requests.PATH))
        self.personal.batcher.submit_to(request, _PersonalWaiter(self, head, cast(Scope, self.scope)))

    def _read_personal(self) -> PersonalRequest | None:
        path, _, query = self.url.partition(b"?")
        if path != _PATH or self.parser.get_method() != b"GET" or not self.may_answer_directly:
            return None
        # Should Django have to answer, it needs what uvicorn would have added.
        self.scope |= {"method": "GET", "path": requests.PATH, "raw_path": _PATH, "query_string": query}
        self.scope["headers"] = list(self.fields.items())
        request = requests.read(query, self.scheme or "http", self.fields)
        # The application records a request that the lens looks at.
        return None if request and request.wants_lens else request

    def start_asking_django(self, scope: Scope) -> None:
        """Have the application behind answer the request that was taken, and measure it."""
        self.leave_measuring()
        task = self.loop.create_task(self._ask_django(scope))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _ask_django(self, scope: Scope) -> None:
        messages: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        try:
            await self.personal.behind(scope, _receive_nothing(), send)
        except Exception:
            log.exception("Django failed to answer %s", requests.PATH)
            self.transport.close()
            return
        start, *bodies = messages
        body = b"".join(message["body"] for message in bodies)
        self.finish_direct(Response(start["status"], start["headers"], body))


def _receive_nothing() -> Receive:
    """`receive` of a request without a body, whose client is there until its connection says otherwise."""
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in messages:
            return message
        await asyncio.Event().wait()
        raise AssertionError("nothing wakes it")

    return receive
