"""Answers requests for shared pages in the event loop, from ready documents that Django makes."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.urls import Resolver404, ResolverMatch, resolve

from apps.front import observe
from apps.front.documents import hit_counts, page_requests, pages
from apps.front.documents.documents import Document
from apps.front.documents.page_requests import DocumentKey, PageRequest
from apps.front.documents.rendering import PageRenderer
from apps.front.documents.store import DocumentStore
from apps.front.response import Response
from apps.front.wsgi_bridge import Application as WsgiApplication

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: Called for each page that a GET is answered with, with its match and the request's headers; returns the
#: value of a Set-Cookie header for this browser, or b"".
Observe = Callable[[ResolverMatch, Mapping[bytes, bytes]], bytes]
#: Seconds between two writes of the hits to Redis.
COUNTS_EVERY_SECONDS = 10.0


class SharedDocuments:
    """An ASGI application that serves shared pages; every other request goes to the one `behind`."""

    def __init__(
        self, behind: Application, *, django: WsgiApplication, observe: Observe = lambda match, headers: b""
    ) -> None:
        self._behind, self._observe = behind, observe
        self._renderer = PageRenderer(django)
        self._counts_due = time.monotonic() + COUNTS_EVERY_SECONDS
        self.store = DocumentStore(self._make)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = None
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and not scope["query_string"]:
            request = page_requests.read(scope["path"], scope.get("scheme", "http"), dict(scope["headers"]))
            answer = await self._find_answer(request, scope["method"]) if request else None
        if answer is None:
            await self._behind(scope, receive, send)
            return
        scope[observe.ROUTE] = answer.route
        await answer.send(send)

    async def _make(self, key: DocumentKey, last: Document | None) -> Document | Response:
        if time.monotonic() >= self._counts_due:
            self._counts_due = time.monotonic() + COUNTS_EVERY_SECONDS
            outcomes, self.store.outcomes = self.store.outcomes, Counter()
            self._renderer.run_in_background(hit_counts.add, outcomes)
        return await self._renderer.render(key, last)

    def answer_at_once(self, request: PageRequest, method: str, now: float) -> Response | None:
        """The answer from a document that is fresh at `now`, the loop's time, else None."""
        document = self.store.find_fresh(request.key, now)
        return self._answer_from(document, request, method) if document else None

    async def _find_answer(self, request: PageRequest, method: str) -> Response | None:
        """The answer, or None when Django has to give it: it is no shared page, or none for everybody."""
        answer = self.answer_at_once(request, method, asyncio.get_running_loop().time())
        # To resolve a path takes longer than to answer from a document.
        if answer or not (request.key in self.store or _is_shared_path(request.key.path)):
            return answer
        result = await self.store.get(request.key)
        if isinstance(result, Document):
            return self._answer_from(result, request, method)
        # Perhaps the person may see what nobody else may.
        return None if result is None or b"cookie" in request.headers else result

    def _answer_from(self, document: Document, request: PageRequest, method: str) -> Response:
        answer = document.answer(request.encoding, request.if_none_match)
        cookie = self._observe(document.match, request.headers) if method == "GET" else b""
        return answer.with_cookie(cookie) if cookie else answer


def _is_shared_path(path: str) -> bool:
    try:
        return pages.is_shared_page(resolve(path).func)
    except Resolver404:
        return False
