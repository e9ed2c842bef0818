"""The queue of reports: one row a thing, a page to decide about it, and decisions about many at once."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanSwitchWidget,
)

from apps.accounts.models import User
from apps.adminkit.change_forms import Badges
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.moderation import decisions, queue, reports
from apps.moderation.models import MAX_TEXT_LENGTH, Case, Decision, Reason
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

STATE_BADGES = Badges(
    {
        _("objection"): "danger",
        pgettext_lazy("report", "open"): "warning",
        pgettext_lazy("report", "decided"): "default",
    }
)


class DecisionForm(forms.Form):
    """Whether the thing is hidden, what its author bears, and why."""

    is_hidden = forms.BooleanField(label=_("Hide it"), required=False, widget=UnfoldBooleanSwitchWidget)
    sanction = forms.ChoiceField(
        label=_("For its author"),
        choices=Decision.Sanction.choices,
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
    hides_all = forms.BooleanField(
        label=_("Hide everything they wrote"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=_("With the account switched off: all their notes and comments. Undoing brings them back."),
    )
    #: What fills the reason in at a press.
    ready_reasons: ClassVar = [reason.label for reason in Reason if reason != Reason.OTHER]
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_TEXT_LENGTH,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("Its author reads this. Without hiding and sanction the reports are dismissed."),
    )


class AnswerForm(forms.Form):
    """Why an objection is refused or accepted."""

    answer = forms.CharField(
        label=_("Answer"),
        max_length=MAX_TEXT_LENGTH,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("Its author reads this, whether the decision stands or not."),
    )


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    """Reported things: objections and what most people reported come first, then what waits longest."""

    empty_text = _("Nobody has reported anything.")
    list_display = ("thing", "author_name", "report_count", "why", "opened_at", "badge")
    list_filter = (("state", ChoicesDropdownFilter), "has_objection", "kind")
    list_filter_submit = False
    list_per_page = queue.PAGE_SIZE
    search_fields = ("excerpt", "author__phone", "author__nickname", "reports__text")
    search_help_text = _("Words of the thing or of a report, or its author")
    ordering = ("-state", *queue.STAFF_ORDER)
    actions = ("decide_many",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Case]:
        return queue.with_reasons(super().get_queryset(request))

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(decisions.PERMISSION)

    @display(description=_("reported"), header=True)
    def thing(self, case: Case) -> list[str]:
        return [case.excerpt.replace("\n", " ")[:80] or case.kind_label, case.kind_label]

    @display(description=_("author"))
    def author_name(self, case: Case) -> str:
        return case.author.nickname if case.author else "–"

    @display(description=_("why"))
    def why(self, case: Case) -> Any:
        return format_html_join(", ", "{}", ((Reason(reason).label,) for reason in case.reasons)) or "–"

    @display(description=_("state"), label=STATE_BADGES)
    def badge(self, case: Case) -> Any:
        return _("objection") if case.has_objection else case.get_state_display()

    @admin.action(description=_("Decide these together"), permissions=["decide"])
    def decide_many(self, request: HttpRequest, chosen: QuerySet[Case]) -> HttpResponse:
        """Ask once for a decision about all chosen cases, then decide each of them."""
        form = DecisionForm(request.POST if "reason" in request.POST else None)
        if form.is_valid():
            return self._decide_each(request, list(chosen), form)
        about = {"title": _("Decide these together"), "form": form, "cases": chosen}
        about |= {"opts": self.opts, "action": "decide_many"}
        return render(request, "admin/moderation/decide_many.html", admin.site.each_context(request) | about)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The thing, its reports and its author's record, with the form to decide; POST decides or undoes."""
        case = get_object_or_404(Case.objects.select_related("author"), pk=parse_row_id(object_id))
        if not self.has_view_permission(request, case):
            raise PermissionDenied
        if request.method != "POST":
            return self._render(request, case, DecisionForm())
        if not self.has_decide_permission(request):
            raise PermissionDenied
        if decision_id := parse_row_id(request.POST.get("undo")):
            return self._undo(request, decision_id)
        if "objection" in request.POST:
            return self._answer(request, case)
        form = DecisionForm(_dismissal(request) if "dismiss" in request.POST else request.POST)
        if not form.is_valid() or not self._decide(request, case, form):
            case.refresh_from_db()
            return self._render(request, case, form, status=422)
        messages.success(request, _("Decided. Everybody concerned is told."))
        return self._go_on()

    def _go_on(self) -> HttpResponse:
        """The next open case, or the list."""
        if following := queue.list_first(1):
            return redirect("admin:moderation_case_change", following[0].pk)
        return redirect("admin:moderation_case_changelist")

    def _answer(self, request: HttpRequest, case: Case) -> HttpResponse:
        form, is_upheld = AnswerForm(request.POST), request.POST["objection"] == "uphold"
        if not form.is_valid():
            return self._render(request, case, DecisionForm(), answer=form, status=422)
        try:
            decisions.answer_objection(
                case.pk, _manager(request), is_upheld=is_upheld, answer=form.cleaned_data["answer"]
            )
        except ValidationError as error:
            form.add_error("answer", error.messages)
            return self._render(request, case, DecisionForm(), answer=form, status=422)
        except Problem as problem:
            messages.error(request, problem.detail)
            return redirect(request.path)
        said = _("The decision stands, and its author is told.")
        messages.success(request, said if is_upheld else _("Undone, and the author is told."))
        return self._go_on()

    def _decide(self, request: HttpRequest, case: Case, form: DecisionForm) -> bool:
        try:
            decisions.decide(case.pk, _manager(request), **form.cleaned_data)
        except ValidationError as error:
            form.add_error("reason", error.messages)
            return False
        except Problem as problem:
            messages.error(request, problem.detail)
            return False
        return True

    def _decide_each(self, request: HttpRequest, chosen: list[Case], form: DecisionForm) -> HttpResponse:
        done = 0
        for case in chosen:
            try:
                decisions.decide(case.pk, _manager(request), **form.cleaned_data)
                done += 1
            except (Problem, ValidationError) as error:
                why = error.detail if isinstance(error, Problem) else " ".join(error.messages)
                messages.error(request, f"{case}: {why}")
        text = ngettext("%d report is decided.", "%d reports are decided.", done)
        messages.success(request, text % done)
        return redirect("admin:moderation_case_changelist")

    def _undo(self, request: HttpRequest, decision_id: int) -> HttpResponse:
        try:
            decisions.undo(
                decision_id, _manager(request), reason=request.POST.get("why", "")[:MAX_TEXT_LENGTH]
            )
            messages.success(request, _("Undone, and the author is told."))
        except Problem as problem:
            messages.error(request, problem.detail)
        return redirect(request.path)

    def _render(
        self,
        request: HttpRequest,
        case: Case,
        form: DecisionForm,
        *,
        answer: AnswerForm | None = None,
        status: int = 200,
    ) -> HttpResponse:
        context = queue.load_context(case)
        rows = [(row, decisions.describe(row)) for row in context.decisions]
        earlier = [(row, decisions.describe(row)) for row in context.earlier]
        refusal = decisions.explain_refusal(_manager(request), case.author)
        may_decide = self.has_decide_permission(request) and not refusal
        title = _("Report: %(kind)s") % {"kind": case.kind_label}
        about = {
            **{"title": title, "crumb": title},
            **{"opts": self.opts, "case": case, "context": context, "form": form},
            **{"decisions": rows, "earlier": earlier, "can_hide": reports.require_kind(case.kind).can_hide},
            "refusal": refusal,
            "site_url": _find_site_url(case, _manager(request)),
            "answer_form": answer or AnswerForm(),
            "may_decide": may_decide and case.state == Case.State.OPEN,
            "may_undo": may_decide,
        }
        page = admin.site.each_context(request) | about
        return render(request, "admin/moderation/case.html", page, status=status)


def _dismissal(request: HttpRequest) -> dict[str, str]:
    """The fields of a decision that lets a thing stand; the reason is what staff wrote, or a ready one."""
    written = request.POST.get("reason", "").strip()
    return {"reason": written or gettext("We looked at it and found nothing wrong.")}


def _find_site_url(case: Case, reader: User) -> str:
    """The page on which the thing is read, or "" if it is nowhere any more."""
    try:
        return reports.find(case.kind, case.target_id, reader).url
    except (Http404, PermissionDenied, Problem):
        return ""


def _manager(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the admin requires a log-in"
    return request.user


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    """Read-only: a decision is undone on the page of its report."""

    list_display = ("thing", "author", "what", "short_reason", "decided_by", "decided_at", "undone")
    list_filter = (("sanction", ChoicesDropdownFilter), "is_hidden", ("decided_by", RelatedDropdownFilter))
    list_filter_submit = False
    list_select_related = ("case__author", "decided_by")
    search_fields = ("reason", "case__excerpt", "case__author__phone", "case__author__nickname")
    search_help_text = _("Reason, words of the thing, or its author")
    ordering = ("-id",)
    fields = (
        "report_link",
        ("is_hidden", "sanction", "until"),
        "reason",
        ("decided_by", "decided_at"),
        ("undone_by", "undone_at"),
        ("objection", "objected_at"),
        "answer",
    )
    readonly_fields = ("report_link",)

    @display(description=_("reported"))
    def thing(self, decision: Decision) -> str:
        return str(decision.case)

    @display(description=_("author"))
    def author(self, decision: Decision) -> str:
        return decision.case.author.nickname if decision.case.author else "–"

    @display(description=_("decision"))
    def what(self, decision: Decision) -> str:
        return decisions.describe(decision)

    @display(description=_("reason"))
    def short_reason(self, decision: Decision) -> str:
        return decision.reason[:80]

    @display(description=_("undone"), boolean=True)
    def undone(self, decision: Decision) -> bool:
        return decision.undone_at is not None

    @display(description=_("report"))
    def report_link(self, decision: Decision) -> str:
        url = reverse("admin:moderation_case_change", args=[decision.case_id])
        return format_html('<a href="{}">{}</a>', url, decision.case)
