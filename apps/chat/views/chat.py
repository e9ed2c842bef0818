"""An open chat: its page, its messages, its pictures."""

from django.contrib import messages as page_messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import auth
from apps.accounts.models import User
from apps.chat import access, chats, messages, pictures, seen
from apps.chat.models import Message
from apps.chat.pages import chat_page, message_rows
from apps.chat.views import refused
from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id


@never_cache
@require_safe
def show(request: HttpRequest, chat_id: int) -> HttpResponse:
    """A chat with its newest messages, or those before a number; htmx gets messages alone, or later ones."""
    user = auth.require_user(request)
    before = parse_row_id(request.GET.get("before")) or None
    row = chats.get_mine(user.pk, chat_id)
    if htmx.is_htmx(request):
        after = parse_row_id(request.GET["after"]) if "after" in request.GET else None
        part = chat_page.build_part(row, user.pk, before=before, after=after)
        return render(request, "chat/_messages.html", part)
    return render(request, "chat/chat.html", chat_page.build(row, user.pk, before=before))


@never_cache
@require_POST
def post(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Send a message; the page's script gets it drawn, with status 201, or the refusal as JSON."""
    user = auth.require_user(request)
    if htmx.is_htmx(request):
        return _answer_script(request, user, chat_id)
    try:
        _post(request, user, chat_id)
    except Problem as problem:
        page_messages.error(request, problem.detail)
        draft = request.POST.get("text", "")
        page = chat_page.build(chats.get_mine(user.pk, chat_id), user.pk, draft=draft)
        return render(request, "chat/chat.html", page, status=problem.status)
    return redirect("chat:show", chat_id)


@never_cache
@require_POST
def delete(request: HttpRequest, chat_id: int, number: int) -> HttpResponse:
    """Delete a message of one's own; htmx gets what is left of it."""
    user = auth.require_user(request)
    messages.delete(user.pk, chat_id, number)
    if not htmx.is_htmx(request):
        page_messages.success(request, _("The message is deleted."))
        return redirect("chat:show", chat_id)
    return _render_one(request, user, chat_id, messages.history(user.pk, chat_id, after=number - 1, size=1))


@never_cache
@require_POST
def mark_seen(request: HttpRequest, chat_id: int) -> HttpResponse:
    """The page says up to which number its reader has seen the chat."""
    user = auth.require_user(request)
    seen.move(user.pk, chat_id, parse_row_id(request.POST.get("number")))
    return HttpResponse(status=204)


@cache_control(private=True, max_age=86_400)
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """A picture of a chat that the reader is in."""
    return pictures.open_file(request, auth.require_user(request).pk, name)


def _answer_script(request: HttpRequest, user: User, chat_id: int) -> HttpResponse:
    try:
        message = _post(request, user, chat_id)
    except Problem as problem:
        return problem.as_json()
    return _render_one(request, user, chat_id, [message], status=201)


def _render_one(
    request: HttpRequest, user: User, chat_id: int, found: list[Message], *, status: int = 200
) -> HttpResponse:
    (row,) = message_rows.build(found, viewer_id=user.pk)
    about = {"chat": access.member(user.pk, chat_id).chat, "row": row}
    return render(request, "chat/_message.html", about, status=status)


def _post(request: HttpRequest, user: User, chat_id: int) -> Message:
    with refused.as_problems():
        return chat_page.send(
            user,
            chat_id,
            text=request.POST.get("text", ""),
            client_id=request.POST.get("client_id", ""),
            picture=request.FILES.get("picture"),
            mention_ids=[parse_row_id(picked) for picked in request.POST.getlist("mention")],
        )
