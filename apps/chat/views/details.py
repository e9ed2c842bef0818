"""About a chat: its members, its name, invitations, muting, leaving."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.chat import chats, members
from apps.chat.models import MAX_NAME_LENGTH
from apps.chat.views import lists, refused
from apps.web.problems import Problem


@never_cache
@require_safe
def about(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Who is in a chat, and what one may do with it."""
    user = auth.require_user(request)
    row = chats.get_mine(user.pk, chat_id)
    context = {"row": row, "members": members.list_members(user.pk, chat_id), "max_length": MAX_NAME_LENGTH}
    return render(request, "chat/about.html", context)


@never_cache
@require_POST
def rename(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Give a group another name."""
    with refused.as_problems():
        chats.rename(auth.require_user(request).pk, chat_id, request.POST.get("name", ""))
    messages.success(request, _("The group has a new name."))
    return redirect("chat:about", chat_id)


@never_cache
@require_POST
def mute(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Mute a chat (`muted` 1), or count its news again (0)."""
    chats.mute(auth.require_user(request).pk, chat_id, request.POST.get("muted") == "1")
    return redirect("chat:about", chat_id)


@never_cache
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Choose people (GET), then add them to the group (POST)."""
    user = auth.require_user(request)
    if request.method == "GET":
        row = chats.get_mine(user.pk, chat_id)
        known = frozenset(member.user_id for member in members.list_members(user.pk, chat_id))
        return lists.render_choice(request, "chat/invite.html", without=known, row=row)
    person_ids = lists.read_people(request.POST.getlist("person"))
    if not person_ids:
        raise Problem(422, "invalid", _("Choose at least one person."))
    members.invite(user.pk, chat_id, person_ids)
    return redirect("chat:show", chat_id)


@never_cache
@require_http_methods(["GET", "POST"])
def leave(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Ask before one leaves (GET), then leave (POST)."""
    user = auth.require_user(request)
    row = chats.get_mine(user.pk, chat_id)
    if request.method == "GET":
        return render(request, "chat/leave.html", {"row": row})
    members.leave(user.pk, chat_id)
    messages.success(request, _("You left the chat."))
    return redirect("chat:list")
