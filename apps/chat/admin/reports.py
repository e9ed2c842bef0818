"""The queue of reports: what was reported, between its neighbours, and what staff does about it."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display

from apps.accounts.models import User
from apps.adminkit import confirm_dialogs, history
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.chat.models import Report
from apps.chat.moderation import reports
from apps.web.problems.ids import parse_row_id

STATE_BADGES = {
    Report.State.OPEN: "warning",
    Report.State.HIDDEN: "danger",
    Report.State.DISMISSED: "default",
}


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """Reports, the open ones first; staff hides the message for everybody, or dismisses the report."""

    list_display = ("heading", "person", "about", "badge", "created_at")
    list_filter = (("state", ChoicesDropdownFilter), ("reason", ChoicesDropdownFilter))
    list_filter_submit = False
    list_select_related = ("reporter", "message__author", "chat")
    list_per_page = 50
    search_fields = ("excerpt", "text", "reporter__phone", "message__author__phone")
    search_help_text = _("Words, or the phone of who reported or wrote")
    ordering = ("-state", "-id")
    actions_detail = ("hide_message", "dismiss")
    fields = (
        ("reason", "badge"),
        "text",
        "excerpt",
        "context",
        ("reporter", "created_at"),
        ("decided_by", "decided_at"),
    )
    readonly_fields = ("badge", "context")

    @display(description=_("reported"))
    def heading(self, report: Report) -> str:
        return str(report)

    @display(description=_("reported by"), header=True)
    def person(self, report: Report) -> list[str]:
        return [report.reporter.nickname, report.reporter.phone]

    @display(description=_("author"))
    def about(self, report: Report) -> Any:
        author = report.message.author if report.message else None
        return author.nickname if author else _("the whole chat")

    @display(description=_("state"), label={state.label: look for state, look in STATE_BADGES.items()})
    def badge(self, report: Report) -> str:
        return report.get_state_display()

    @display(description=_("around it"))
    def context(self, report: Report) -> str:
        about = {"messages": reports.load_context(report), "marked": report.message_id}
        return render_to_string("admin/chat/_messages.html", about)

    def has_moderate_permission(self, request: HttpRequest, _row: Any = None) -> bool:
        return request.user.has_perm("chat.change_report")

    @action(
        description=_("Hide the message"),
        url_path="hide-message",
        permissions=["moderate"],
        icon="visibility_off",
        dialog=confirm_dialogs.build(
            _("Hide this message?"), _("Nobody in the chat can read it any more."), _("Hide it")
        ),
    )
    def hide_message(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        report = self._find(object_id)
        if report.message is None:
            return self._answer(
                request, report, str(_("This report is about a whole chat.")), level=messages.ERROR
            )
        reports.hide_message(report, staff=_manager(request))
        history.record_changed(request, report, str(_("message hidden")))
        return self._answer(request, report, str(_("The message is hidden.")))

    @action(
        description=_("Dismiss"),
        permissions=["moderate"],
        icon="done",
        dialog=confirm_dialogs.build(
            _("Dismiss this report?"), _("Nothing changes in the chat."), _("Dismiss it")
        ),
    )
    def dismiss(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        report = self._find(object_id)
        reports.dismiss(report, staff=_manager(request))
        history.record_changed(request, report, str(_("dismissed")))
        return self._answer(request, report, str(_("The report is dismissed.")))

    def _find(self, object_id: str) -> Report:
        return get_object_or_404(Report.objects.select_related("message"), pk=parse_row_id(object_id))

    def _answer(
        self, request: HttpRequest, report: Report, text: str, *, level: int = messages.SUCCESS
    ) -> HttpResponse:
        url = reverse("admin:chat_report_change", args=[report.pk])
        return confirm_dialogs.redirect_with_message(request, url, text, level=level)


def _manager(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the admin requires a log-in"
    return request.user
