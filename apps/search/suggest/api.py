"""GET /api/suggest: names and words as a person types."""

from datetime import date
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.tokens import Login
from apps.search import limits
from apps.search.suggest import finding
from apps.search.suggest.sources import CONTACTS, Suggestion
from apps.shops.geo import location
from apps.uv import recent
from apps.web.problems import PlainDigits, deprecation, documented
from apps.web.problems.ids import MAX_ROW_ID

router = Router()
Kind = Literal["", "shops", "people", "contacts", "words"]
Typed = Annotated[
    str, Field(max_length=80, description="what was typed; may be empty for contacts and for all")
]
Size = Annotated[int, Ge(1), Le(20), PlainDigits]


Chat = Annotated[int, Ge(0), Le(MAX_ROW_ID), PlainDigits, Field(description="one's own; 0 for none")]


class SuggestIn(Schema):
    q: Typed
    kind: Kind = ""
    size: Size = 8
    limit: Size | None = None
    chat: Chat = 0


class SuggestionOut(Schema):
    kind: Literal["shops", "people", "words"]
    id: int | None = Field(description="of the shop or the person; a word has none")
    name: str
    detail: str = Field(description="what tells it from others of that name: its place")
    url: str = Field(description="its page; of a word empty")


class SuggestionsOut(Schema):
    items: list[SuggestionOut]
    next: None = Field(None, description="there is one page: type on")


@router.get(
    "/suggest",
    operation_id="suggest",
    auth=auth.optional_bearer,
    response=SuggestionsOut,
    summary="Suggestions as somebody types",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 422: ["invalid"], 429: ["too_many_requests"], 503: ["busy"]}
    )
    | documented.COOKIE,
)
@deprecation.deprecates(parameters=["limit"], since=date(2026, 11, 26), instead="size")
def suggest(request: HttpRequest, response: HttpResponse, wanted: Query[SuggestIn]) -> dict[str, Any]:
    """Exact names first, then those that begin so, then those that contain it; the popular first.

    Of shops those of the reader's city come first. With nothing typed: last searches, then trending ones.
    `contacts` are people by how near they are to the person who asks, by token or cookie. Chinese names are
    found by pinyin and initials too, and a slip of one letter is forgiven. The members of `chat` stand
    before other contacts. A person may ask 200 times in ten seconds.
    """
    response["Cache-Control"] = "private, no-store"
    viewer_id = _viewer_id(request, required=wanted.kind == CONTACTS)
    limits.charge_suggestion(request, viewer_id)
    size = wanted.limit or wanted.size
    return {"items": find(request, viewer_id, wanted.q, wanted.kind, size=size, chat_id=wanted.chat)}


def find(
    request: HttpRequest, viewer_id: int | None, typed: str, kind: str, *, size: int, chat_id: int
) -> list[Suggestion]:
    """The lines for what a reader typed, in their city; with nothing typed their last searches first."""
    city = location.from_request(request).city
    if typed.strip() or kind:
        return finding.find_suggestions(
            typed, kind, viewer_id=viewer_id, limit=size, chat_id=chat_id, city=city
        )
    # Browsers of the API have no request.user, but the person whose searches the page remembers.
    owner = recent.person_owner(viewer_id) if viewer_id else recent.request_owner(request)
    return finding.list_first(owner, size, city)


def _viewer_id(request: HttpRequest, *, required: bool) -> int | None:
    """Who asks, by token or by a browser's cookie; 401 for a visitor where a person is required."""
    sent: Any = getattr(request, "auth", None)
    login = sent if isinstance(sent, Login) else tokens.resolve(cookies.read_token(request))
    if login is None and required:
        raise auth.not_logged_in()
    return login.user_id if login else None
