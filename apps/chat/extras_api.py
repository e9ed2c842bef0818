"""The JSON API of pictures for messages, and of reports."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from apps.accounts import auth
from apps.accounts.pictures import uploads
from apps.chat import access, pictures
from apps.chat.moderation import reportable
from apps.moderation import reports
from apps.moderation.models import Reason
from apps.web.problems import Body, PlainDigits, RowId, documented

router = Router()


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
