"""The way from a chat, or a message of it, to the page that reports it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from apps.accounts import auth
from apps.chat import access
from apps.chat.moderation import reportable
from apps.web.problems.ids import parse_row_id


@never_cache
@require_GET
def report(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Redirect to the page that reports message ?number= of a chat, or the chat."""
    member = access.member(auth.require_user(request).pk, chat_id)
    number = parse_row_id(request.GET.get("number"))
    if not number:
        return redirect("moderation:report", "chat", chat_id)
    return redirect("moderation:report", "message", reportable.find_message(member, number).pk)
