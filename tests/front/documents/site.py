"""A small site of shared pages, a client for it, and a clock that ages its documents."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from django.utils.translation import get_language

from apps.front.documents import page_requests
from apps.front.documents.pages import same_refusal, shared_page
from apps.front.documents.route import DocumentRoute
from tests.protocol_client import Connection


@dataclass
class State:
    """What the pages show, and how often they were made."""

    text: str = "first"
    status: int = 200
    made: int = 0
    error: Exception | None = None
    #: Called while a page is made.
    meanwhile: Callable[[], object] = field(default=lambda: None)


state = State()


@shared_page
def page(request: HttpRequest, number: int = 0) -> HttpResponse:
    state.made += 1
    state.meanwhile()
    if state.error:
        raise state.error
    if number == 404:
        raise Http404
    text = f"{state.text} {number} {get_language()} {request.build_absolute_uri()} " + "lorem ipsum " * 100
    return HttpResponse(text, status=state.status)


def own_page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("mine")


@same_refusal
@shared_page
def absent_page(request: HttpRequest, number: int = 0) -> HttpResponse:
    state.made += 1
    raise Http404


urlpatterns = [
    path("absent/", absent_page),
    path("absent/<int:number>/", absent_page),
    path("page/", page),
    path("page/<int:number>/", page),
    path("own/", own_page),
    # What every page names, such as a refusal with the site's header.
    path("", include("config.urls")),
]


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_behind(self) -> bool:
        """Whether the application behind the documents answered."""
        return self.body == b"behind"


async def behind(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answers what shared documents leave to Django."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"6")]})
    await send({"type": "http.response.body", "body": b"behind"})


def build(*, refresh_wait_seconds: float = 60) -> DocumentRoute:
    """Shared documents that know none yet. A new one is waited for however slow the machine is."""
    page_requests.forget_settings()
    return DocumentRoute(get_wsgi_application(), refresh_wait_seconds=refresh_wait_seconds)


async def fetch(documents: DocumentRoute, url: str = "/page/", method: str = "GET", **given: str) -> Response:
    """One request; `accept_language="zh"` is a header."""
    headers = {"host": "testserver", **{name.replace("_", "-"): value for name, value in given.items()}}
    lines = [f"{method} {url} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    lines[-1] = "x" * int(given.get("content_length", 0))
    connection = Connection(documents, application=behind)
    connection.send("\r\n".join(lines).encode())
    async with asyncio.timeout(60):
        while not (connection.transport.written and connection.protocol.is_free):
            await asyncio.sleep(0)
    head, _, body = connection.transport.written.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    found = dict(field.split(": ", 1) for field in fields)
    found.pop("date")
    return Response(int(line.split()[1]), found, body)


def age(documents: DocumentRoute, seconds: float) -> None:
    """Make every document older."""
    for entry in documents.store._entries.values():
        entry.made_at -= seconds
    for key, (answer, made_at) in documents.store._absent.items():
        documents.store._absent[key] = answer, made_at - seconds
