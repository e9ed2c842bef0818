"""The admin of payments: a read-only list of every attempt to pay."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from apps.adminkit.change_forms import Badges
from apps.adminkit.plain_search import to_plain_term
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.coupons.models import VoucherOrder
from apps.coupons.models.payments import Charge, Payment, PaymentState
from apps.shops import money
from apps.web import stored_texts
from apps.web.problems.ids import MAX_ROW_ID

#: The badge of each state.
STATE_BADGES = {
    PaymentState.BEGUN: "warning",
    PaymentState.EXPIRED: "default",
    PaymentState.SUCCEEDED: "success",
    PaymentState.FAILED: "danger",
    PaymentState.REFUNDING: "info",
    PaymentState.REFUNDED: "default",
}
#: Digits of an order's number at most; a reference has 32 characters.
MAX_ORDER_ID_DIGITS = 19


class IssueFilter(admin.SimpleListFilter):
    title = _("trouble")
    parameter_name = "trouble"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("refused", _("a callback was refused")),
            ("waiting", _("waits for its order")),
            ("stuck", _("refund failed")),
        ]

    def queryset(self, _request: HttpRequest, payments: QuerySet[Payment]) -> QuerySet[Payment]:
        if self.value() == "refused":
            return payments.exclude(trouble="")
        if self.value() == "waiting":
            return payments.filter(state=PaymentState.SUCCEEDED, settled_at=None)
        return (
            payments.filter(state=PaymentState.REFUNDING, tries__gt=1)
            if self.value() == "stuck"
            else payments
        )


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    """Every attempt to pay, and where its money is."""

    list_display = ("heading", "order_id", "amount_due", "badge", "begun_at", "problem")
    list_filter = (("state", ChoicesDropdownFilter), "provider", IssueFilter)
    list_filter_submit = False
    search_fields = ("reference",)
    search_help_text = _("Order number or reference")
    ordering = ("-id",)
    fields = (
        ("reference", "state"),
        ("order_link", "subject"),
        ("amount_due", "provider"),
        ("joint_payment",),
        ("why", "problem"),
        ("begun_at", "returned_at"),
        ("finished_at", "settled_at"),
        ("refund_asked_at", "refunded_at"),
        ("due_at", "tries"),
    )
    readonly_fields = ("order_link", "amount_due", "joint_payment", "why", "problem")
    list_select_related = ("charge",)

    def get_search_results(
        self, _request: HttpRequest, queryset: QuerySet[Payment], search_term: str
    ) -> tuple[QuerySet[Payment], bool]:
        """A number is an order's id, everything else a reference: of a payment, or of all in a joint one."""
        term = to_plain_term(search_term)
        if term.isascii() and term.isdigit() and len(term) <= MAX_ORDER_ID_DIGITS:
            return queryset.filter(order_id=min(int(term), MAX_ROW_ID)), False
        reference = term[:32].lower()
        if charge := Charge.objects.filter(reference=reference).first():
            return queryset.filter(charge=charge), False
        return (queryset.filter(reference=reference) if term else queryset), False

    @display(description=_("payment"))
    def heading(self, payment: Payment) -> str:
        lines = [payment.subject, payment.reference]
        if payment.charge:
            lines.append(_("in the joint payment %(reference)s") % {"reference": payment.charge.reference})
        soft = format_html_join("", '<div class="sv-wrap sv-soft">{}</div>', ([line] for line in lines[1:]))
        return format_html('<div class="sv-wrap">{}</div>{}', lines[0], soft)

    @display(description=_("joint payment"))
    def joint_payment(self, payment: Payment) -> str:
        """What the provider knows, of which this is a part, with a link to all payments in it, or "–"."""
        if payment.charge is None:
            return "–"
        charge = payment.charge
        url = reverse("admin:coupons_payment_changelist", query={"q": charge.reference})
        total = money.format_amount(charge.amount, charge.currency)
        return format_html('<a href="{}">{}</a> · {}', url, charge.reference, total)

    @display(description=_("order"))
    def order_link(self, payment: Payment) -> str:
        """A link to the order; its number alone while it has no row."""
        if not VoucherOrder.objects.filter(pk=payment.order_id).exists():
            return str(payment.order_id)
        url = reverse("admin:coupons_voucherorder_change", args=[payment.order_id])
        return format_html('<a href="{}">{}</a>', url, payment.order_id)

    @display(description=_("amount"), ordering="amount")
    def amount_due(self, payment: Payment) -> str:
        return money.format_amount(payment.amount, payment.currency)

    @display(
        description=_("state"),
        ordering="state",
        label=Badges({s.label: kind for s, kind in STATE_BADGES.items()}),
    )
    def badge(self, payment: Payment) -> Any:
        return PaymentState(payment.state).label

    @display(description=_("reason"))
    def why(self, payment: Payment) -> str:
        return stored_texts.translate(payment.reason)

    @display(description=_("trouble"), ordering="trouble")
    def problem(self, payment: Payment) -> str:
        return stored_texts.translate(payment.trouble)
