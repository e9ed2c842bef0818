"""The JSON API of popular and recently viewed shops and notes."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Router, Schema, Status

from apps.accounts import auth
from apps.blog.display import viewed
from apps.uv import recent
from apps.web import paging
from apps.web.problems import documented, json_api

router = Router()
_OWN_PROBLEMS = documented.problems({401: ["not_logged_in"]})


class ItemOut(Schema):
    """A shop or a note in brief; `about` says what and where it is."""

    kind: viewed.Kind
    id: int
    name: str
    about: str
    cover_url: str
    url: str


class ViewedItemOut(ItemOut):
    viewed_at: datetime


class PopularOut(Schema):
    items: list[ItemOut]
    next: paging.Next = None


class RecentOut(Schema):
    items: list[ViewedItemOut]
    next: paging.Next = None


@router.get(
    "/popular", operation_id="listPopular", response=PopularOut, summary="What is looked at most right now"
)
@json_api.public(seconds=10)
def list_popular(
    request: HttpRequest,
    kind: viewed.Kind = "shop",
    cursor: paging.Cursor = "",
    size: paging.SizeOrAll = None,
) -> dict[str, object]:
    """The first 20; a view loses half its weight in six hours. Empty while Redis is away."""
    found = viewed.popular_items(kind, viewed.MAX_API_ITEMS)
    page = paging.cut_list(found, key=lambda one: one.id, kind=f"popular:{kind}", cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.get(
    "/me/recent",
    operation_id="listRecentlyViewed",
    auth=auth.bearer,
    response=RecentOut,
    summary="What I looked at",
    openapi_extra=_OWN_PROBLEMS,
)
def list_recent(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, object]:
    """The 25 newest shops and notes whose pages I opened. Empty while Redis is away."""
    found = viewed.recent_items(recent.person_owner(auth.require_login(request).user_id))
    page = paging.cut_list(
        found, key=lambda one: f"{one.kind}:{one.id}", kind="recent", cursor=cursor, size=size
    )
    return {"items": page.items, "next": page.next}


@router.delete(
    "/me/recent",
    operation_id="clearRecentlyViewed",
    auth=auth.bearer,
    response={204: None},
    summary="Forget what I looked at",
    openapi_extra=documented.problems({401: ["not_logged_in"], 503: ["busy"]}),
)
def clear_recent(request: HttpRequest) -> Status[None]:
    """All of it, at once; again is fine."""
    recent.clear(recent.person_owner(auth.require_login(request).user_id))
    return Status(204, None)
