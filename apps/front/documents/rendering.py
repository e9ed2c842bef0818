"""Has Django make the page of a document, in threads of its own."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from types import MappingProxyType
from typing import Any

from django.urls import resolve

from apps.front import observe
from apps.front.documents import variants
from apps.front.documents.documents import Document
from apps.front.documents.page_requests import DocumentKey
from apps.front.response import Response
from apps.front.wsgi_bridge import ADMITTED, Application, WsgiResponse, build_environ

#: Pages that are made at once; personal pages have threads of their own.
MAX_THREADS = 2


class PageRenderer:
    """Asks Django's WSGI application for pages as a person without cookies does.

    `is_admitted`: on behalf of requests that were let in, although the site may be closed for maintenance.
    """

    def __init__(self, django: Application, *, is_admitted: bool = True) -> None:
        self._django = django
        self._marks = {observe.INTERNAL: True} | ({ADMITTED: True} if is_admitted else {})
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="documents")

    async def render(self, key: DocumentKey, last: Document | None) -> Document | Response:
        """The page's document, or the response that can't be one; `last` if the page hasn't changed."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._render, key, last)

    async def request(
        self, key: DocumentKey, *, query: str = "", marks: Mapping[str, object] = MappingProxyType({})
    ) -> Response:
        """Django's response to a person without cookies; `marks` are in the environment of the request."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._request, key, query, marks
        )

    async def call(self, work: Callable[..., Any], *arguments: object) -> Any:
        """The result of something short that may wait, between two pages."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def run_in_background(self, work: Callable[..., object], *arguments: object) -> None:
        """Run something short between two pages."""
        self._threads.submit(work, *arguments)

    def _render(self, key: DocumentKey, last: Document | None) -> Document | Response:
        rendered = self._request(key)
        if not rendered.is_shareable:
            return rendered
        if last and last.page.is_same(rendered):
            return last
        return Document(rendered, resolve(key.path))

    def _request(
        self, key: DocumentKey, query: str = "", marks: Mapping[str, object] = MappingProxyType({})
    ) -> Response:
        response = WsgiResponse()
        environ = build_environ(_build_scope(key, query), BytesIO()) | self._marks | dict(marks)
        environ[variants.VARIABLE] = key.variant
        parts: Any = self._django(environ, response.start)
        try:
            body = b"".join(parts)
        finally:
            parts.close()
        return Response(response.status, response.headers, body)


def _build_scope(key: DocumentKey, query: str) -> dict[str, Any]:
    """The request of a person who sends nothing but the site's name and a language."""
    headers = [(b"host", key.host.encode("latin-1")), (b"accept-language", key.language.encode())]
    return {
        "method": "GET",
        "path": key.path,
        "query_string": query.encode(),
        "headers": headers,
        "http_version": "1.1",
        "scheme": key.scheme,
    }
