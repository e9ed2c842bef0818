"""The JSON API of chats."""

from datetime import date
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import File, Query, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from apps.accounts import auth
from apps.accounts.mentions import MentionIds
from apps.accounts.pictures import uploads
from apps.chat import access, chats, members, messages, pictures, reportable, schemas, unread
from apps.chat.models import MAX_MEMBERS, MAX_MESSAGE_LENGTH, MAX_NAME_LENGTH
from apps.moderation import reports
from apps.moderation.models import Reason
from apps.web import paging
from apps.web.problems import Body, PlainDigits, RowId, deprecation, documented

router = Router()
Number = Annotated[int, Field(ge=0, le=2**53), PlainDigits]
People = Annotated[list[RowId], Field(max_length=MAX_MEMBERS)]
_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"]}
_BUSY = {429: ["too_many_requests"], 503: ["busy"]}


class ChatIn(Body):
    """One person without a name opens the chat of two; anything else makes a group."""

    member_ids: People
    name: str = Field("", max_length=MAX_NAME_LENGTH)


class CardIn(Body):
    kind: Literal["note", "shop", "sale", "voucher"]
    id: RowId


class MessageIn(Body):
    """`client_id` is a key of your own: sent twice, the message is one."""

    text: str = Field("", max_length=MAX_MESSAGE_LENGTH)
    client_id: str = Field(min_length=1, max_length=64)
    picture_id: RowId | None = None
    card: CardIn | None = None
    mention_ids: MentionIds = []


class MessagesIn(Schema):
    before: Annotated[Number | None, Field(description="only those before this number")] = None
    after: Annotated[Number | None, Field(description="only those after this number")] = None
    cursor: paging.Cursor = ""
    size: paging.Size = messages.PAGE_SIZE


class SeenIn(Body):
    number: Number


class MembersIn(Body):
    ids: People


class ChatChangeIn(Body):
    """What is left out stays."""

    name: str | None = Field(None, max_length=MAX_NAME_LENGTH)
    muted: bool | None = None


@router.get(
    "/chats",
    operation_id="listChats",
    auth=auth.bearer_or_cookie,
    response=schemas.ChatsOut,
    summary="My chats",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_chats(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """That with the latest message first."""
    page = chats.list_mine(auth.require_login(request).user_id, cursor, size=size)
    return {"items": [schemas.build_chat(row) for row in page.items], "next": page.next}


@router.post(
    "/chats",
    operation_id="openChat",
    auth=auth.bearer_or_cookie,
    response={201: schemas.ChatOut},
    summary="Open a chat",
    openapi_extra=documented.problems(
        _PROBLEMS
        | _BUSY
        | {403: ["blocked", "suspended"], 422: ["own_account", "too_many_members", "invalid"]}
    ),
)
def open_chat(request: HttpRequest, body: ChatIn) -> Status[dict[str, Any]]:
    """The chat with one person is one, however often it is opened. A new account may open 5 an hour."""
    me = auth.require_login(request).user_id
    if len(body.member_ids) == 1 and not body.name:
        chat = chats.open_with(me, body.member_ids[0])
    else:
        chat = chats.create_group(me, body.member_ids, body.name)
    return Status(201, schemas.build_chat(chats.get_mine(me, chat.pk)))


@router.get(
    "/chats/pending",
    operation_id="listPendingMessages",
    auth=auth.bearer_or_cookie,
    response=schemas.PendingOut,
    summary="What I have not seen, in all my chats",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_pending(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """At most 200 chats and 50 messages of each. Nothing is marked as seen: say so when you have them."""
    waiting = unread.pending(auth.require_login(request).user_id)
    page = paging.cut_list(waiting, key=lambda chat: chat.chat_id, kind="pending", cursor=cursor, size=size)
    items = [
        {"chat_id": chat.chat_id, "messages": [schemas.build_message(each) for each in chat.messages]}
        for chat in page.items
    ]
    return {"items": items, "next": page.next}


@router.get(
    "/chats/{chat_id}",
    operation_id="getChat",
    auth=auth.bearer_or_cookie,
    response=schemas.ChatOut,
    summary="One of my chats",
    openapi_extra=documented.problems(_PROBLEMS),
)
def show_chat(request: HttpRequest, chat_id: RowId) -> dict[str, Any]:
    """With its last message and how many I have not seen."""
    return schemas.build_chat(chats.get_mine(auth.require_login(request).user_id, chat_id))


@router.patch(
    "/chats/{chat_id}",
    operation_id="changeChat",
    auth=auth.bearer_or_cookie,
    response=schemas.ChatOut,
    summary="Rename a group, mute a chat",
    openapi_extra=documented.problems(
        _PROBLEMS | {403: ["suspended"], 409: ["not_a_group"], 422: ["invalid"]}
    ),
)
def change_chat(request: HttpRequest, chat_id: RowId, body: ChatChangeIn) -> dict[str, Any]:
    """The name is everybody's, `muted` is mine; null is false. A group needs a name."""
    me = auth.require_login(request).user_id
    if "name" in body.model_fields_set:
        chats.rename(me, chat_id, body.name or "")
    if "muted" in body.model_fields_set:
        chats.mute(me, chat_id, bool(body.muted))
    return schemas.build_chat(chats.get_mine(me, chat_id))


@router.get(
    "/chats/{chat_id}/messages",
    operation_id="listMessages",
    auth=auth.bearer_or_cookie,
    response=schemas.MessagesOut,
    summary="Messages of a chat",
    openapi_extra=documented.problems(_PROBLEMS),
)
@deprecation.deprecates(parameters=["before"], members=["before"], since=date(2026, 11, 26), instead="cursor")
def list_messages(request: HttpRequest, chat_id: RowId, wanted: Query[MessagesIn]) -> dict[str, Any]:
    """The newest ones, then with `next` those before them; or those `after` a number. The oldest first."""
    if wanted.cursor and wanted.before is not None:
        raise paging.two_positions("before")
    page = messages.list_page(auth.require_login(request).user_id, chat_id, **wanted.dict())
    items = [schemas.build_message(message) for message in page.items]
    earlier = page.items[0].number if page.next and wanted.after is None else None
    return {"items": items, "next": page.next, "before": earlier}


@router.post(
    "/chats/{chat_id}/messages",
    operation_id="sendMessage",
    auth=auth.bearer_or_cookie,
    response={201: schemas.MessageOut},
    summary="Send a message",
    openapi_extra=documented.problems(_PROBLEMS | _BUSY | {403: ["blocked", "suspended"], 422: ["invalid"]}),
)
def send_message(request: HttpRequest, chat_id: RowId, body: MessageIn) -> Status[dict[str, Any]]:
    """At most 20 a minute to people who don't follow you."""
    sent = messages.post(
        auth.require_login(request).user_id,
        chat_id,
        body.text,
        client_id=body.client_id,
        picture_id=body.picture_id,
        card=messages.Card(body.card.kind, body.card.id) if body.card else None,
        mention_ids=body.mention_ids,
    )
    return Status(201, schemas.build_message(sent))


@router.delete(
    "/chats/{chat_id}/messages/{number}",
    operation_id="deleteMessage",
    auth=auth.bearer_or_cookie,
    response={204: None},
    summary="Delete a message of mine",
    openapi_extra=documented.problems(_PROBLEMS | {409: ["too_late"]}),
)
def delete_message(request: HttpRequest, chat_id: RowId, number: Number) -> Status[None]:
    """Within 10 minutes; again is fine. Its number stays."""
    messages.delete(auth.require_login(request).user_id, chat_id, number)
    return Status(204, None)


@router.post(
    "/chats/{chat_id}/seen",
    operation_id="markMessagesSeen",
    auth=auth.bearer_or_cookie,
    response={204: None},
    summary="Say what I have seen",
    openapi_extra=documented.problems(_PROBLEMS | {422: ["invalid"]}),
)
def mark_seen(request: HttpRequest, chat_id: RowId, body: SeenIn) -> Status[None]:
    """Up to this number; it never goes back."""
    unread.move_seen(auth.require_login(request).user_id, chat_id, body.number)
    return Status(204, None)


@router.get(
    "/chats/{chat_id}/members",
    operation_id="listChatMembers",
    auth=auth.bearer_or_cookie,
    response=schemas.MembersOut,
    summary="Members of a chat",
    openapi_extra=documented.problems(_PROBLEMS),
)
def list_members(
    request: HttpRequest, chat_id: RowId, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """Those longest in it first."""
    found = members.list_members(auth.require_login(request).user_id, chat_id)
    kind = f"members:{chat_id}"
    page = paging.cut_list(found, key=lambda member: member.pk, kind=kind, cursor=cursor, size=size)
    return {"items": [schemas.build_member(member) for member in page.items], "next": page.next}


@router.post(
    "/chats/{chat_id}/members",
    operation_id="inviteToChat",
    auth=auth.bearer_or_cookie,
    response={201: schemas.MembersOut},
    summary="Invite people to a group",
    openapi_extra=documented.problems(
        _PROBLEMS
        | _BUSY
        | {403: ["blocked", "suspended"], 409: ["not_a_group"], 422: ["too_many_members", "invalid"]}
    ),
)
def invite(request: HttpRequest, chat_id: RowId, body: MembersIn) -> Status[dict[str, Any]]:
    """The new members; who is in the group stays."""
    added = members.invite(auth.require_login(request).user_id, chat_id, body.ids)
    return Status(201, {"items": [schemas.build_member(member) for member in added]})


@router.delete(
    "/chats/{chat_id}/members",
    operation_id="leaveChat",
    auth=auth.bearer_or_cookie,
    response={204: None},
    summary="Leave a chat",
    openapi_extra=documented.problems(_PROBLEMS),
)
def leave(request: HttpRequest, chat_id: RowId) -> Status[None]:
    """The last to leave deletes it."""
    members.leave(auth.require_login(request).user_id, chat_id)
    return Status(204, None)


class KeptPictureOut(Schema):
    id: int
    width: int = Field(description="pixels")
    height: int = Field(description="pixels")


class ChatReportIn(Body):
    """`number` 0 reports the chat as a whole."""

    number: Annotated[int, Field(ge=0, le=2**53), PlainDigits] = 0
    reason: Reason
    text: str = Field("", max_length=500)


class ChatReportOut(Schema):
    id: int


@router.post(
    "/chat-pictures",
    operation_id="sendChatPicture",
    auth=auth.bearer_or_cookie,
    response={201: KeptPictureOut},
    summary="Send a picture for a message",
    openapi_extra=documented.problems(uploads.PROBLEMS),
)
def send_picture(request: HttpRequest, picture: File[UploadedFile]) -> Status[Any]:
    """JPEG, PNG, WebP or GIF up to 10 MB, drawn anew; a message takes it by `picture_id` within a day."""
    return Status(201, pictures.upload(auth.require_user(request), picture))


@router.post(
    "/chats/{chat_id}/reports",
    operation_id="reportChatMessage",
    auth=auth.bearer_or_cookie,
    response={201: ChatReportOut},
    summary="Report a chat, or a message of it",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 404: ["not_found"], 409: ["own_thing"]}
        | {422: ["invalid"], 429: ["too_many_requests"]}
    ),
)
def report(request: HttpRequest, chat_id: RowId, body: ChatReportIn) -> Status[Any]:
    """Staff reads it; again changes nothing. The members of the chat get no notice of it."""
    user = auth.require_user(request)
    member = access.member(user.pk, chat_id)
    kind, target_id = "chat", chat_id
    if body.number:
        kind, target_id = "message", reportable.find_message(member, body.number).pk
    return Status(201, reports.report(user, kind, target_id, reason=body.reason, text=body.text).report)
