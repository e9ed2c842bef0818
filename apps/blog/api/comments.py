"""The JSON API of comments."""

from collections.abc import Collection
from dataclasses import replace
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from apps.accounts import auth
from apps.accounts.mentions import MentionIds
from apps.accounts.relations import blocks
from apps.blog import access, comments, limits, schemas
from apps.blog.schemas import CommentOut, CommentsOut, RepliesOut
from apps.web import paging
from apps.web.problems import Body, RowId, documented

router = Router()
_LIST_PROBLEMS = documented.problems({401: ["not_logged_in"], 404: ["not_found"]})


class CommentIn(Body):
    """`reply_to` is a comment of the same note, or a reply to one."""

    text: Annotated[str, Field(min_length=1, max_length=2_000, description="1 to 1000 letters when trimmed")]
    reply_to: RowId | None = None
    mention_ids: MentionIds = []


@router.get(
    "/notes/{note_id}/comments",
    operation_id="listComments",
    auth=auth.optional_bearer,
    response=CommentsOut,
    summary="Comments on a note",
    openapi_extra=_LIST_PROBLEMS,
)
def list_comments(
    request: HttpRequest, note_id: RowId, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """The oldest first, each with its first three replies."""
    note = access.note(note_id, None)
    page = comments.list_page(note, cursor, None, size=size)
    visible = _without_apart(page.items, auth.viewer_id(request))
    return {"items": [schemas.build_comment(one) for one in visible], "next": page.next}


@router.post(
    "/notes/{note_id}/comments",
    operation_id="addComment",
    auth=auth.bearer,
    response={201: CommentOut},
    summary="Comment on a note, or reply",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 403: ["blocked", "suspended"], 404: ["not_found"]}
        | {422: ["invalid"], 429: ["too_many_requests"]}
    ),
)
def add_comment(request: HttpRequest, note_id: RowId, body: CommentIn) -> Status[dict[str, Any]]:
    """A reply to a reply is listed under the same comment and mentions the author of the reply it answers."""
    user = auth.require_user(request)
    limits.charge(limits.comments(), user.pk)
    made = comments.add(note_id, user, body.text, reply_to=body.reply_to, mention_ids=body.mention_ids)
    return Status(201, schemas.build_comment(comments.build_view(made, None)))


@router.get(
    "/comments/{comment_id}/replies",
    operation_id="listReplies",
    auth=auth.optional_bearer,
    response=RepliesOut,
    summary="Replies to a comment",
    openapi_extra=_LIST_PROBLEMS,
)
def list_replies(
    request: HttpRequest, comment_id: RowId, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """The oldest first."""
    thread = access.thread(comment_id)
    page = comments.list_replies(thread, cursor, None, size=size)
    visible = _without_apart(page.items, auth.viewer_id(request))
    return {"items": [one.comment for one in visible], "next": page.next}


@router.delete(
    "/comments/{comment_id}",
    operation_id="deleteComment",
    auth=auth.bearer,
    response={204: None},
    summary="Delete a comment",
    openapi_extra=documented.problems({401: ["not_logged_in"], 403: ["forbidden"], 404: ["not_found"]}),
)
def delete_comment(request: HttpRequest, comment_id: RowId) -> Status[None]:
    """Your own, or one on your own note; the same answer when it is deleted already."""
    user = auth.require_user(request)
    comments.delete(access.deletable_comment(comment_id, user), by=user)
    return Status(204, None)


@router.post(
    "/comments/{comment_id}/restore",
    operation_id="restoreComment",
    auth=auth.bearer,
    response=CommentOut,
    summary="Undo deleting a comment",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 403: ["suspended"], 404: ["not_found"], 429: ["too_many_requests"]}
    ),
)
def restore_comment(request: HttpRequest, comment_id: RowId) -> dict[str, Any]:
    """For thirty days, by whoever deleted it."""
    user = auth.require_user(request)
    comment = access.own_deleted_comment(comment_id, user)
    comments.undo_delete(comment, by=user)
    comment.refresh_from_db()
    return schemas.build_comment(comments.build_view(comment, user))


def _without_apart(views: list[comments.CommentView], viewer_id: int | None) -> list[comments.CommentView]:
    """The comments and replies without those of people apart from the viewer; one query for a viewer."""
    rows = [one.comment for view in views for one in (view, *view.replies)]
    apart = blocks.apart_among(viewer_id, {row.author_id for row in rows})
    visible = _leave_out(views, apart)
    return [replace(view, replies=_leave_out(view.replies, apart)) for view in visible]


def _leave_out(views: list[comments.CommentView], apart: Collection[int]) -> list[comments.CommentView]:
    return [view for view in views if view.comment.author_id not in apart]
