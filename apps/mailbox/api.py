"""The JSON API of the mailbox; the project's API mounts it with its own authentication."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import Field

from apps.mailbox import display, listing
from apps.mailbox.display import Item
from apps.mailbox.people import Person
from apps.web import paging
from apps.web.problems import Body, Problem, documented
from apps.web.problems.ids import MAX_ROW_ID

router = Router()
#: Ids in one request to mark notifications as read: five pages of them.
MAX_IDS = 100
NotificationId = Annotated[str, Field(pattern=r"^b?[1-9][0-9]{0,18}$", examples=["17", "b3"])]
_PROBLEMS = documented.problems({401: ["not_logged_in"], 422: ["invalid"]})


class ActorOut(Schema):
    id: int
    nickname: str
    avatar: str | None


class TargetOut(Schema):
    kind: str
    id: str
    title: str
    url: str


class NotificationOut(Schema):
    """`actors` are the latest of `actor_count` people; `target` is null when it is gone."""

    id: NotificationId
    kind: str
    actors: list[ActorOut]
    actor_count: int
    target: TargetOut | None
    text: str = Field(description='what somebody wrote, or the new state of an order: "paid", "used", …')
    read: bool
    created_at: datetime = Field(description="when the last of it happened")


class MailboxOut(Schema):
    items: list[NotificationOut]
    unread: int
    next: paging.Next


class ReadRequest(Body):
    """Either ids or `all`; a broadcast's id also marks the broadcasts before it."""

    ids: Annotated[list[NotificationId], Field(max_length=MAX_IDS)] = []
    all: bool = False


@router.get(
    "/mailbox",
    operation_id="listNotifications",
    response=MailboxOut,
    summary="My notifications",
    openapi_extra=_PROBLEMS,
)
def show_mailbox(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = listing.PAGE_SIZE
) -> dict[str, Any]:
    """The newest first, of the last 90 days. Asking marks nothing as read."""
    user_id = _user_id(request)
    page = listing.fetch_page(user_id, cursor, size=size)
    built = [_build_out(item) for item in display.build_items(page.entries, user_id)]
    return {"items": built, "unread": page.unread, "next": page.next}


@router.post(
    "/mailbox/read",
    operation_id="markNotificationsRead",
    response={204: None},
    summary="Mark notifications as read",
    openapi_extra=_PROBLEMS,
)
def mark_read(request: HttpRequest, sent: ReadRequest) -> Status[None]:
    """Ids of other people's notifications, or of what is gone, change nothing."""
    if sent.all:
        listing.mark_all_read(_user_id(request))
    else:
        numbers, broadcasts = _parse_ids(sent.ids)
        listing.mark_read(_user_id(request), numbers, broadcasts_to=max(broadcasts, default=0))
    return Status(204, None)


def _parse_ids(ids: list[str]) -> tuple[list[int], list[int]]:
    """The ids of rows, and of broadcasts; Problem 422 for those that no row can have."""
    numbers = [int(one) for one in ids if not one.startswith("b")]
    broadcasts = [int(one[1:]) for one in ids if one.startswith("b")]
    if max([*numbers, *broadcasts], default=0) > MAX_ROW_ID:
        raise Problem(422, "invalid", _("No notification has such an id."), field="ids")
    return numbers, broadcasts


def _build_out(item: Item) -> dict[str, Any]:
    entry, target = item.entry, item.target
    about = {"kind": entry.target_kind, "id": str(entry.target_id)}
    return {
        "id": item.id,
        "kind": entry.kind,
        "actors": [_build_actor(actor) for actor in item.actors],
        "actor_count": entry.actor_count,
        "target": about | {"title": target.title, "url": target.url} if target else None,
        "text": entry.text,
        "read": not entry.is_unread,
        "created_at": item.moment,
    }


def _build_actor(actor: Person) -> dict[str, Any]:
    return {"id": actor.user_id, "nickname": actor.nickname, "avatar": actor.avatar or None}


def _user_id(request: HttpRequest) -> int:
    """The id of the person whose log-in the mount of this router has found."""
    log_in: Any = getattr(request, "auth", None)
    return int(log_in.user_id)
