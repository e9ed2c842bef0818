"""A small site of shared pages, a client for it, and a clock that ages its documents."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.utils.translation import get_language

from apps.front.documents import page_requests
from apps.front.documents.pages import shared_page
from apps.front.documents.server import SharedDocuments


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


urlpatterns = [path("page/", page), path("page/<int:number>/", page), path("own/", own_page)]


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
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"behind"})


def build(**options: Any) -> SharedDocuments:
    """Shared documents that know none yet."""
    page_requests.forget_settings()
    return SharedDocuments(behind, django=get_wsgi_application(), **options)


async def fetch(
    documents: SharedDocuments, url: str = "/page/", method: str = "GET", **given: str
) -> Response:
    """One request; `accept_language="zh"` is a header."""
    headers = {"host": "testserver", **{name.replace("_", "-"): value for name, value in given.items()}}
    route, _, query = url.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": route,
        "query_string": query.encode(),
        "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await documents(scope, None, send)  # type: ignore[arg-type]
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Response(sent[0]["status"], found, sent[1]["body"])


def age(documents: SharedDocuments, seconds: float) -> None:
    """Make every document older."""
    for entry in documents.store._entries.values():
        entry.made_at -= seconds
