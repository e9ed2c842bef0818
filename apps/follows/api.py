from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from apps.accounts import access, auth
from apps.follows import button, graph, people, schemas, suggestions
from apps.problems import RowId, documented
from apps.redis_kit import paging

router = Router()
Cursor = Annotated[str, Field(max_length=paging.MAX_LENGTH, description="`next` of the page before")]
_ABOUT_ONE = {401: ["not_logged_in"], 404: ["not_found"]}
_LISTING = _ABOUT_ONE | {400: ["bad_cursor"]}


@router.get(
    "/users/{user_id}",
    auth=auth.anybody,
    response=schemas.ProfileOut,
    summary="A person, as everybody may see them",
    openapi_extra=documented.problems(_ABOUT_ONE),
)
def show_person(request: HttpRequest, user_id: RowId) -> dict[str, Any]:
    """Logged in, `followed` says whether I follow them. Without a token: false."""
    person, me = access.person(user_id), auth.viewer_id(request)
    return schemas.profile(person, followed=me is not None and bool(graph.follows_any(me, [person.pk])))


@router.put(
    "/users/{user_id}/follow",
    auth=auth.bearer,
    response=schemas.PressedOut,
    summary="Follow a person",
    openapi_extra=documented.problems(
        _ABOUT_ONE | {422: ["own_account", "too_many_follows"], 429: ["too_many_requests"]}
    ),
)
def follow(request: HttpRequest, user_id: RowId) -> button.Pressed:
    """Again is fine. At most 60 a minute and 500 a day, and 5,000 altogether."""
    return button.follow(auth.login_of(request).user_id, user_id)


@router.delete(
    "/users/{user_id}/follow",
    auth=auth.bearer,
    response=schemas.PressedOut,
    summary="Follow a person no longer",
    openapi_extra=documented.problems(_ABOUT_ONE),
)
def unfollow(request: HttpRequest, user_id: RowId) -> button.Pressed:
    """Again is fine."""
    return button.unfollow(auth.login_of(request).user_id, user_id)


@router.get(
    "/users/{user_id}/followers",
    auth=auth.anybody,
    response=schemas.RowsOut,
    summary="Who follows a person",
    openapi_extra=documented.problems(_LISTING),
)
def list_followers(request: HttpRequest, user_id: RowId, cursor: Cursor = "") -> dict[str, Any]:
    """The newest first, 20 a page."""
    access.person(user_id)
    return schemas.page(people.followers(user_id, viewer_id=auth.viewer_id(request), cursor=cursor))


@router.get(
    "/users/{user_id}/following",
    auth=auth.anybody,
    response=schemas.RowsOut,
    summary="Whom a person follows",
    openapi_extra=documented.problems(_LISTING),
)
def list_following(request: HttpRequest, user_id: RowId, cursor: Cursor = "") -> dict[str, Any]:
    """The newest first, 20 a page."""
    access.person(user_id)
    return schemas.page(people.following(user_id, viewer_id=auth.viewer_id(request), cursor=cursor))


@router.get(
    "/users/{user_id}/common-follows",
    auth=auth.bearer,
    response=schemas.RowsOut,
    summary="Whom both that person and I follow",
    openapi_extra=documented.problems(_LISTING),
)
def list_common(request: HttpRequest, user_id: RowId, cursor: Cursor = "") -> dict[str, Any]:
    """By id, 20 a page."""
    access.person(user_id)
    me = auth.login_of(request).user_id
    return schemas.page(people.common(user_id, viewer_id=me, cursor=cursor))


@router.get(
    "/people/suggestions",
    auth=auth.anybody,
    response=schemas.SuggestedPeopleOut,
    summary="People worth following",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_suggestions(request: HttpRequest) -> dict[str, Any]:
    """At most 20, the best first: whom those follow whom I follow, then whom most people follow."""
    return {"items": [schemas.row(one) for one in suggestions.of(auth.viewer_id(request))]}
