"""The maintenance gate of the event loop: decides before anything else acts on a request.

While the site is closed, connections ask no route. Requests arrive at the application, where this gate
answers from a copy of Django's page. A claim whose request was read before that is decided and answered.
"""

import asyncio
import time
from typing import Any

from apps.front.documents import page_requests
from apps.front.documents.page_requests import DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.gate import Gate
from apps.front.origin import asks_before_it_sends
from apps.front.response import Response
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.siteconfig.maintenance import passes
from apps.siteconfig.maintenance.switch import Announcement, switch
from apps.web.problems.error_pages import API_ROOT

Scope = dict[str, Any]
#: Seconds for which a copy serves: its Retry-After counts down.
ANSWER_SECONDS = 5.0
#: Languages and origins whose answers are kept.
MAX_ANSWERS = 256


class MaintenanceGate(Gate):
    """Refuses with 503 while the site is closed."""

    switch = switch

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer = PageRenderer(django, is_admitted=False)
        self._answers: dict[DocumentKey, tuple[float, Announcement, asyncio.Task[Response]]] = {}

    async def refuse(self, scope: Scope) -> Response | None:
        """The 503 of a request; None for one that is let in, or that Django refuses anyway."""
        closed = switch.closed
        key = _find_refused(scope, closed) if closed else None
        return await asyncio.shield(self._find_answer(key, closed)) if closed and key else None

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
    # A page of another site reads the refusal of what it then sends.
    if asks_before_it_sends(scope["method"], scope["path"], headers):
        return None
    path = API_ROOT if scope["path"].startswith(API_ROOT) else "/"
    return page_requests.read_key(path, scope.get("scheme", "http"), headers)
