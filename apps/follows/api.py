"""The JSON API of follows: a person, follow and unfollow, lists, suggestions."""

from typing import Any

from django.http import HttpRequest
from ninja import Router

from apps.accounts import auth
from apps.accounts.relations import blocks
from apps.follows import graph, person_lists, schemas
from apps.web import paging
from apps.web.problems import RowId, documented

router = Router()
_PERSON_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"]}


@router.get(
    "/users/{user_id}",
    operation_id="getPerson",
    auth=auth.optional_bearer,
    response=schemas.ProfileOut,
    summary="A person, as everybody may see them",
    openapi_extra=documented.problems(_PERSON_PROBLEMS),
)
def show_person(request: HttpRequest, user_id: RowId) -> dict[str, Any]:
    """Logged in, `followed` says whether I follow them. Without a token: false."""
    me = auth.viewer_id(request)
    person = blocks.find_person(me, user_id)
    return schemas.build_profile(
        person, followed=me is not None and bool(graph.followed_among(me, [person.pk]))
    )


@router.put(
    "/users/{user_id}/follow",
    operation_id="followPerson",
    auth=auth.bearer,
    response=schemas.FollowStateOut,
    summary="Follow a person",
    openapi_extra=documented.problems(
        _PERSON_PROBLEMS
        | {403: ["blocked"], 422: ["own_account", "too_many_follows"], 429: ["too_many_requests"]}
    ),
)
def follow(request: HttpRequest, user_id: RowId) -> person_lists.FollowState:
    """Repeating it changes nothing. At most 60 a minute, 500 a day and 5,000 altogether."""
    return person_lists.follow(auth.require_login(request).user_id, user_id)


@router.delete(
    "/users/{user_id}/follow",
    operation_id="unfollowPerson",
    auth=auth.bearer,
    response=schemas.FollowStateOut,
    summary="Unfollow a person",
    openapi_extra=documented.problems(_PERSON_PROBLEMS),
)
def unfollow(request: HttpRequest, user_id: RowId) -> person_lists.FollowState:
    """Repeating it changes nothing."""
    return person_lists.unfollow(auth.require_login(request).user_id, user_id)


@router.get(
    "/users/{user_id}/followers",
    operation_id="listFollowers",
    auth=auth.optional_bearer,
    response=schemas.PeopleOut,
    summary="Followers of a person",
    openapi_extra=documented.problems(_PERSON_PROBLEMS),
)
def list_followers(
    request: HttpRequest, user_id: RowId, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """The newest first."""
    blocks.find_person(auth.viewer_id(request), user_id)
    return schemas.build_page(
        person_lists.list_followers(user_id, viewer_id=auth.viewer_id(request), cursor=cursor, size=size)
    )


@router.get(
    "/users/{user_id}/following",
    operation_id="listFollowing",
    auth=auth.optional_bearer,
    response=schemas.PeopleOut,
    summary="People a person follows",
    openapi_extra=documented.problems(_PERSON_PROBLEMS),
)
def list_following(
    request: HttpRequest, user_id: RowId, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """The newest first."""
    blocks.find_person(auth.viewer_id(request), user_id)
    return schemas.build_page(
        person_lists.list_following(user_id, viewer_id=auth.viewer_id(request), cursor=cursor, size=size)
    )


@router.get(
    "/users/{user_id}/common-follows",
    operation_id="listCommonFollows",
    auth=auth.bearer,
    response=schemas.PeopleOut,
    summary="People we both follow",
    openapi_extra=documented.problems(_PERSON_PROBLEMS),
)
def list_common(
    request: HttpRequest, user_id: RowId, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """By id."""
    me = auth.require_login(request).user_id
    blocks.find_person(me, user_id)
    return schemas.build_page(person_lists.list_common(user_id, viewer_id=me, cursor=cursor, size=size))


@router.get(
    "/people/suggestions",
    operation_id="listSuggestedPeople",
    auth=auth.optional_bearer,
    response=schemas.SuggestedPeopleOut,
    summary="People worth following",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_suggestions(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """At most 20: people followed by those I follow, then the most followed people."""
    found = person_lists.for_viewer(auth.viewer_id(request))
    page = paging.cut_list(found, key=lambda row: row.person.pk, kind="suggestions", cursor=cursor, size=size)
    return {"items": [schemas.build_row(row) for row in page.items], "next": page.next}
