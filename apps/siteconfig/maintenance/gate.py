"""The maintenance gate of the event loop: decides before anything else acts on a request.

The HTTP protocol looks at one attribute (`DirectHttpProtocol.gate`), and answers nothing itself while the
site is closed. Requests then take the way by ASGI, where this gate answers from a copy of Django's page. A
claim whose request was read before that is decided and answered.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from apps.front.documents import page_requests
from apps.front.documents.page_requests import DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.response import Response
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.siteconfig import site_state
from apps.siteconfig.maintenance import passes
from apps.siteconfig.maintenance.announcements import Announcement
from apps.siteconfig.maintenance.switch import switch
from apps.web.problems.error_pages import API_ROOT

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: Seconds for which a copy serves: its Retry-After counts down.
ANSWER_SECONDS = 5.0
#: Languages and origins whose answers are kept.
MAX_ANSWERS = 256


class MaintenanceGate:
    """An ASGI application in front of another one: answers 503 while the site is closed."""

    def __init__(self, behind: Application, *, django: WsgiApplication) -> None:
        self._behind, self._renderer = behind, PageRenderer(django, is_admitted=False)
        self._answers: dict[DocumentKey, tuple[float, Announcement, asyncio.Task[Response]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        site_state.poller.start()
        closed = switch.closed
        key = None if closed is None or scope["type"] != "http" else _find_refused(scope, closed)
        if closed is None or key is None:
            await self._behind(scope, receive, send)
            return
        answer = await asyncio.shield(self._find_answer(key, closed))
        await answer.send(send)

    def _find_answer(self, key: DocumentKey, closed: Announcement) -> "asyncio.Task[Response]":
        """The answer of Django to this kind of request, which many wait for together."""
        made_at, announced, task = self._answers.get(key, (0.0, None, None))
        if task and announced is closed and time.monotonic() - made_at < ANSWER_SECONDS:
            return task
        if len(self._answers) >= MAX_ANSWERS:
            self._answers.clear()
        task = asyncio.get_running_loop().create_task(self._render(key))
        self._answers[key] = time.monotonic(), closed, task
        return task

    async def _render(self, key: DocumentKey) -> Response:
        return await self._renderer.request(key)


def _find_refused(scope: Scope, closed: Announcement) -> DocumentKey | None:
    """What the 503 of a request depends on; None when it is served, or refused for its host or scheme."""
    headers = dict(scope["headers"])
    if passes.is_admitted(scope["path"], headers.get(b"cookie", b"").decode("latin-1"), closed):
        return None
    path = API_ROOT if scope["path"].startswith(API_ROOT) else "/"
    return page_requests.read_key(path, scope.get("scheme", "http"), headers)
