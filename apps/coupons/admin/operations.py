"""The admin of what went wrong: dead letters with reasons, to be replayed, and results of reconciliations."""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action, display

from apps.adminkit import confirm_dialogs, history
from apps.adminkit.change_forms import Badges
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.coupons.claims import entries
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, Reconciliation
from apps.coupons.orders import dead_letters
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import client
from apps.web import stored_texts
from apps.web.problems.ids import parse_row_id

#: Why a replay did not happen, in words for the person who pressed.
REPLAY_REFUSALS = {
    Outcome.SOLD_OUT: _("Not replayed: no unit is left for it."),
    Outcome.ALREADY_BOUGHT: _("Not replayed: this person holds an order of this sale by now."),
}
NOT_READY = _("Not replayed: the sale is not loaded. Try again in a moment.")


class ReplayedFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("waiting", _("waiting")), ("replayed", _("replayed"))]

    def queryset(self, _request: HttpRequest, dead_letters: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
        if self.value() in {"waiting", "replayed"}:
            return dead_letters.filter(replayed_at__isnull=self.value() == "waiting")
        return dead_letters


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin):
    """Dead letters: accepted orders that could not become rows, with the reason and a replay button."""

    list_display = ("heading", "deliveries", "created_at", "state")
    list_filter = (ReplayedFilter,)
    empty_text = _("Nothing failed: every accepted order was written down.")
    search_fields = ("=order_id", "reason")
    search_help_text = _("Order number or reason")
    ordering = ("-id",)
    actions = ("replay_chosen",)
    actions_detail = ("replay",)
    fields = (
        "why",
        "order_id",
        "payload",
        "stream",
        "entry_id",
        "deliveries",
        "created_at",
        "replayed_at",
    )
    readonly_fields = ("why", "payload")

    @display(description=_("reason"), header=True)
    def heading(self, dead_letter: DeadLetter) -> list[str]:
        return [stored_texts.translate(dead_letter.reason), str(dead_letter.order_id or _("no order number"))]

    @display(description=_("reason"))
    def why(self, dead_letter: DeadLetter) -> str:
        return stored_texts.translate(dead_letter.reason)

    @display(description=_("state"), label=Badges({_("waiting"): "warning", _("replayed"): "success"}))
    def state(self, dead_letter: DeadLetter) -> Any:
        return _("replayed") if dead_letter.replayed_at else _("waiting")

    @display(description=_("entry"))
    def payload(self, dead_letter: DeadLetter) -> str:
        text = json.dumps(dead_letter.fields, indent=2, ensure_ascii=False, sort_keys=True)
        return format_html('<pre class="sv-code">{}</pre>', text)

    def has_replay_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        if not request.user.has_perm("coupons.change_deadletter"):
            return False
        return (
            object_id is None
            or DeadLetter.objects.filter(pk=parse_row_id(str(object_id)), replayed_at=None).exists()
        )

    @action(
        description=_("Replay"),
        icon="replay",
        permissions=["replay"],
        dialog=confirm_dialogs.build(
            _("Replay this order?"),
            _("It takes a unit again, if one is left, and goes back into the queue under its old number."),
            _("Replay"),
        ),
    )
    def replay(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        dead_letter = DeadLetter.objects.get(pk=object_id)
        url = reverse("admin:coupons_deadletter_change", args=[dead_letter.pk])
        problem = replay_or_explain(dead_letter)
        if problem:
            return confirm_dialogs.redirect_with_message(request, url, problem, level=messages.ERROR)
        history.record_changed(request, dead_letter, str(_("replayed")))
        return confirm_dialogs.redirect_with_message(request, url, str(_("The order is back in the queue.")))

    @admin.action(description=_("Replay"), permissions=["replay"])
    def replay_chosen(self, request: HttpRequest, dead_letters: QuerySet[DeadLetter]) -> None:
        problems = [replay_or_explain(dead_letter) for dead_letter in dead_letters.filter(replayed_at=None)]
        failed = [problem for problem in problems if problem]
        sent = len(problems) - len(failed)
        self.message_user(
            request,
            ngettext("%d order is back in the queue.", "%d orders are back in the queue.", sent) % sent,
        )
        for problem in sorted(set(failed)):
            self.message_user(request, f"{problem} ({failed.count(problem)})", messages.ERROR)


def replay_or_explain(dead_letter: DeadLetter) -> str:
    """Replay a dead letter; the reason as a sentence when that is not possible, else an empty text."""
    try:
        outcome = dead_letters.replay(dead_letter)
    except entries.MalformedEntry as error:
        return str(_("Not replayed: the entry says no order (%s).") % stored_texts.translate(str(error)))
    except client.UNAVAILABLE:
        return str(_("Not replayed: the live numbers can't be reached. Try again in a moment."))
    if outcome is Outcome.ACCEPTED:
        return ""
    return str(REPLAY_REFUSALS.get(outcome, NOT_READY))


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    """Results of `reconcile`, which compares Redis and SQL sale by sale, and orders with their money."""

    list_display = ("ran_at", "verdict", "sales", "payments", "fixed", "took")
    ordering = ("-id",)
    actions_list = ("run_now", "run_and_repair")
    fields = ("ran_at", "verdict", "sales", "payments", "fixed", "took", "found")
    readonly_fields = ("verdict", "took", "found")

    @display(description=_("verdict"), label=Badges({_("clean"): "success", _("violations"): "danger"}))
    def verdict(self, result: Reconciliation) -> Any:
        return _("violations") if result.violations else _("clean")

    @display(description=_("took"), ordering="seconds")
    def took(self, result: Reconciliation) -> str:
        return f"{result.seconds:.2f} s"

    @display(description=_("found"))
    def found(self, result: Reconciliation) -> SafeString:
        return render_to_string("admin/coupons/_violations.html", {"violations": result.violations})

    def has_run_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("coupons.add_reconciliation")

    def has_repair_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("coupons.change_reconciliation")

    @action(
        description=_("Run now"),
        url_path="run-now",
        icon="fact_check",
        permissions=["run"],
        dialog=confirm_dialogs.build(
            _("Compare stock, orders and money?"),
            _("Looks at every sale that isn't long over, and at every payment. Changes nothing."),
            _("Run"),
        ),
    )
    def run_now(self, request: HttpRequest, _form: Any) -> HttpResponse:
        return _run_and_report(request, fix=False)

    @action(
        description=_("Run and repair"),
        url_path="run-and-repair",
        icon="healing",
        permissions=["repair"],
        dialog=confirm_dialogs.build(
            _("Compare and repair?"),
            _(
                "Where stock and orders differ, the orders decide: the stock is counted anew and the sale"
                " loaded again. Money that nobody may keep goes back to who paid it."
            ),
            _("Run and repair"),
        ),
    )
    def run_and_repair(self, request: HttpRequest, _form: Any) -> HttpResponse:
        return _run_and_report(request, fix=True)


def _run_and_report(request: HttpRequest, *, fix: bool) -> HttpResponse:
    url = reverse("admin:coupons_reconciliation_changelist")
    try:
        report = reconciliation.run_and_save(fix=fix)
    except client.UNAVAILABLE:
        sentence = str(_("The live numbers can't be reached, so there is nothing to compare with."))
        return confirm_dialogs.redirect_with_message(request, url, sentence, level=messages.ERROR)
    counts = {"sales": report.sales, "violations": len(report.violations), "fixed": report.fixed}
    sentence = str(_("Sales: %(sales)d. Repaired: %(fixed)d. Violations left: %(violations)d.") % counts)
    level = messages.SUCCESS if report.clean else messages.WARNING
    return confirm_dialogs.redirect_with_message(request, url, sentence, level=level)
