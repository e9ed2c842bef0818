"""Admin pages of failed Celery tasks: list, details and the "Run again" button."""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from kombu.exceptions import OperationalError
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display

from apps.adminkit import confirm_dialogs, history
from apps.adminkit.change_forms import Badges, ModelAdmin
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.queues import failed_tasks
from apps.queues.models import DeadTask, Reason
from apps.web.problems.ids import parse_row_id

#: Reason -> colour of its badge.
REASON_BADGES = {
    Reason.RAISED: "danger",
    Reason.TIMED_OUT: "warning",
    Reason.KILLED: "danger",
    Reason.UNKNOWN: "info",
    Reason.MALFORMED: "default",
}
UNKNOWN_TASK = _("Not run: no task of this name is installed here, or its message can't be read.")
BROKER_AWAY = _("Not run: the broker does not answer. Try again in a moment.")
ALREADY_REPLAYED = _("This task was run again before.")


class StateFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("waiting", _("waiting")), ("replayed", _("run again"))]

    def queryset(self, _request: HttpRequest, found: QuerySet[DeadTask]) -> QuerySet[DeadTask]:
        if self.value() in {"waiting", "replayed"}:
            return found.filter(replayed_at__isnull=self.value() == "waiting")
        return found


@admin.register(DeadTask)
class DeadTaskAdmin(ReadOnlyAdmin):
    """Admin of tasks that failed for good: reason, arguments, traceback and a "Run again" button."""

    list_display = ("heading", "why", "runs", "died_at", "state")
    list_filter = (StateFilter, ("reason", ChoicesDropdownFilter), "queue")
    list_filter_submit = False
    empty_text = _("Nothing failed: every task was done.")
    search_fields = ("name", "=task_id", "error")
    search_help_text = _("Task, task id or error")
    ordering = ("-died_at",)
    actions = ("run_chosen",)
    actions_detail = ("run_again",)
    fields = (
        ("name", "reason"),
        "error",
        "arguments",
        "tail",
        ("task_id", "queue"),
        ("runs", "times"),
        ("is_tick", "died_at"),
        ("replayed_at", "replayed_as"),
    )
    readonly_fields = ("arguments", "tail")

    @display(description=_("task"), ordering="name")
    def heading(self, one: DeadTask) -> str:
        words = '<div class="sv-wrap">{}</div><div class="sv-wrap sv-soft">{}</div>'
        return format_html(words, one.name, one.error[:90])

    @display(
        description=_("reason"),
        ordering="reason",
        label=Badges({r.label: kind for r, kind in REASON_BADGES.items()}),
    )
    def why(self, one: DeadTask) -> Any:
        return Reason(one.reason).label

    @display(description=_("state"), label=Badges({_("waiting"): "warning", _("run again"): "success"}))
    def state(self, one: DeadTask) -> Any:
        return _("run again") if one.replayed_at else _("waiting")

    @display(description=_("arguments"))
    def arguments(self, one: DeadTask) -> str:
        text = json.dumps({"args": one.args, "kwargs": one.kwargs}, indent=2, ensure_ascii=False)
        return format_html('<pre class="sv-code">{}</pre>', text)

    @display(description=_("traceback"))
    def tail(self, one: DeadTask) -> str:
        return format_html('<pre class="sv-code">{}</pre>', one.traceback) if one.traceback else "–"

    def has_delete_permission(self, request: HttpRequest, row: Any = None) -> bool:
        return bool(ModelAdmin.has_delete_permission(self, request, row))

    def has_run_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        if not request.user.has_perm("queues.run_again"):
            return False
        return object_id is None or self._runnable().filter(pk=parse_row_id(str(object_id))).exists()

    def _runnable(self) -> QuerySet[DeadTask]:
        return DeadTask.objects.waiting().exclude(reason=Reason.MALFORMED)

    @action(
        description=_("Run again"),
        url_path="run-again",
        icon="replay",
        permissions=["run"],
        dialog=confirm_dialogs.build(
            _("Run this task again?"),
            _("It goes back into its queue once, with the same arguments, under a new id."),
            _("Run again"),
        ),
    )
    def run_again(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        one = DeadTask.objects.get(pk=object_id)
        url = reverse("admin:queues_deadtask_change", args=[one.pk])
        problem = replay_or_explain(one)
        if problem:
            return confirm_dialogs.redirect_with_message(request, url, problem, level=messages.ERROR)
        history.record_changed(request, one, str(_("run again")))
        return confirm_dialogs.redirect_with_message(request, url, str(_("The task is back in its queue.")))

    @admin.action(description=_("Run again"), permissions=["run"])
    def run_chosen(self, request: HttpRequest, found: QuerySet[DeadTask]) -> None:
        chosen = list(found.filter(replayed_at=None))
        problems = [replay_or_explain(one) for one in chosen]
        for one, problem in zip(chosen, problems, strict=True):
            if not problem:
                history.record_changed(request, one, str(_("run again")))
        sent = problems.count("")
        words = ngettext("%d task is back in its queue.", "%d tasks are back in their queues.", sent)
        self.message_user(request, words % sent)
        for problem in sorted({problem for problem in problems if problem}):
            self.message_user(request, f"{problem} ({problems.count(problem)})", messages.ERROR)


def replay_or_explain(one: DeadTask) -> str:
    """Run a failed task again; return "" on success, else a sentence that says why it did not run."""
    try:
        return "" if failed_tasks.replay(one) else str(ALREADY_REPLAYED)
    except failed_tasks.UnknownTask:
        return str(UNKNOWN_TASK)
    except OperationalError:
        return str(BROKER_AWAY)
