"""The admin of reconciliation reports, with actions that run `reconcile`, with or without repairs."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from apps.adminkit import confirm_dialogs
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.coupons.models import Reconciliation
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import client


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    """Results of `reconcile`, which compares Redis and SQL sale by sale, and orders with their money."""

    list_display = ("ran_at", "verdict", "sales", "payments", "fixed", "took")
    ordering = ("-id",)
    actions_list = ("run_now", "run_and_repair")
    fields = ("ran_at", "verdict", "sales", "payments", "fixed", "took", "found")
    readonly_fields = ("verdict", "took", "found")

    @display(description=_("verdict"), label={_("clean"): "success", _("violations"): "danger"})
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
