"""Chats for staff: read-only, and only after a reason is written down."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.accounts.models import User
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.chat import reportable
from apps.chat.models import Chat, ChatOpening
from apps.web.problems.ids import parse_row_id

OPEN_PERMISSION = "chat.open_chat"


class OpeningForm(forms.Form):
    """The one field; ChatOpening judges what is in it."""

    reason = forms.CharField(
        label=_("Reason"), max_length=200, widget=UnfoldAdminTextInputWidget(attrs={"autofocus": True})
    )


@admin.register(Chat)
class ChatAdmin(ReadOnlyAdmin):
    """Lists chats without what is said in them; opening one asks for a reason, which stays written down."""

    list_display = ("heading", "kind", "people", "last_at", "created_at")
    list_filter_submit = False
    search_fields = ("=id", "=members__user__phone", "=members__user__nickname")
    search_help_text = _("Number of the chat, or a member's whole phone or nickname")
    ordering = ("-last_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chat]:
        return super().get_queryset(request).annotate(member_count=Count("members", distinct=True))

    @display(description=_("chat"))
    def heading(self, chat: Chat) -> str:
        return f"#{chat.pk}"

    @display(description=_("kind"))
    def kind(self, chat: Chat) -> Any:
        return pgettext("chat", "group") if chat.is_group else _("two people")

    @display(description=_("members"))
    def people(self, chat: Any) -> int:
        return int(chat.member_count)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The messages for an hour after a reason was given; before that, the form that asks for it."""
        if not isinstance(request.user, User) or not request.user.has_perm(OPEN_PERMISSION):
            raise PermissionDenied
        chat = get_object_or_404(Chat, pk=parse_row_id(object_id))
        if request.method == "POST":
            return self._open(request, request.user, chat)
        opening = reportable.find_opening(chat.pk, request.user)
        return self._render(request, chat, opening=opening)

    def _open(self, request: HttpRequest, manager: User, chat: Chat) -> HttpResponse:
        try:
            reportable.open_chat(chat, manager, request.POST.get("reason", ""))
        except ValidationError as error:
            return self._render(request, chat, problem=" ".join(error.messages))
        return redirect(request.path)

    def _render(
        self, request: HttpRequest, chat: Chat, *, opening: ChatOpening | None = None, problem: str = ""
    ) -> HttpResponse:
        before = parse_row_id(request.GET.get("before"))
        messages = reportable.load_messages(chat.pk, before=before) if opening else []
        context = admin.site.each_context(request) | {
            "title": f"{_('Chat')} #{chat.pk}",
            "chat": chat,
            "opening": opening,
            "problem": problem,
            "form": OpeningForm(),
            "messages": messages,
            "members": chat.members.select_related("user").order_by("pk") if opening else [],
            "older": messages[0].number if messages and messages[0].number > 1 else None,
        }
        return render(request, "admin/chat/chat.html", context, status=422 if problem else 200)


@admin.register(ChatOpening)
class ChatOpeningAdmin(ReadOnlyAdmin):
    """Who opened which chat of other people, when and why."""

    empty_text = _("Nobody has opened a chat of others.")
    list_display = ("chat", "opened_by", "reason", "opened_at")
    list_select_related = ("chat", "opened_by")
    list_filter_submit = False
    search_fields = ("reason", "opened_by__phone", "opened_by__nickname", "=chat__id")
    search_help_text = _("Reason, the phone or nickname of who opened it, or the chat's number")
    ordering = ("-id",)
