"""The admin of orders: search, cancel and export, with each order's payments and returned stock."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display

from apps.accounts import phones
from apps.adminkit import confirm_dialogs, exports, history
from apps.adminkit.exports import Column
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.coupons.admin import redeem
from apps.coupons.models import Payment, Status, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.shops.money_field import MINOR_UNITS
from apps.web.in_language import columns
from apps.web.problems.ids import parse_row_id

#: The badge of each status.
STATUS_BADGES = {
    Status.UNPAID: "warning",
    Status.PAID: "success",
    Status.USED: "info",
    Status.CANCELLED: "default",
    Status.REFUNDED: "danger",
}

#: What an exported order says; its redeem code stays the buyer's here too.
EXPORT_COLUMNS = (
    Column(_("order"), lambda order: order.pk),
    Column(_("voucher"), lambda order: order.voucher.title),
    Column(_("shop"), lambda order: order.voucher.shop.name),
    Column(_("person"), lambda order: order.user.nickname),
    Column(pgettext_lazy("person", "phone"), lambda order: order.user.phone),
    Column(_("price"), lambda order: f"{order.price / MINOR_UNITS:.2f}"),
    Column(_("currency"), lambda order: order.currency),
    Column(_("status"), lambda order: Status(order.status).label),
    Column(pgettext_lazy("time", "accepted"), lambda order: exports.format_time(order.accepted_at)),
    Column(pgettext_lazy("time", "paid"), lambda order: exports.format_time(order.paid_at)),
    Column(pgettext_lazy("time", "used"), lambda order: exports.format_time(order.used_at)),
    Column(pgettext_lazy("time", "cancelled"), lambda order: exports.format_time(order.cancelled_at)),
    Column(pgettext_lazy("time", "refunded"), lambda order: exports.format_time(order.refunded_at)),
)


@admin.register(VoucherOrder)
class OrderAdmin(exports.ExportAdmin, ReadOnlyAdmin):
    """Orders, to look at, to cancel and to export; the redeem code stays the buyer's."""

    list_display = ("id", "heading", "person", "pays", "badge", "accepted_at")
    list_filter = (("status", ChoicesDropdownFilter),)
    list_filter_submit = False
    list_select_related = ("user", "voucher__shop")
    list_per_page = 50
    search_fields = ("user__phone", *columns("voucher__title"))
    search_help_text = _("Order number, phone or voucher")
    ordering = ("-id",)
    actions_detail = ("cancel_order",)
    export_columns = EXPORT_COLUMNS
    fields = (
        ("id", "status"),
        ("user", "voucher"),
        ("pays", "epoch"),
        ("payments",),
        ("accepted_at", "created_at"),
        ("pay_deadline", "paid_at"),
        ("used_at", "cancelled_at", "refunded_at"),
    )
    readonly_fields = ("pays", "payments")

    def get_urls(self) -> list[URLPattern]:
        own = path("redeem/", self.admin_site.admin_view(redeem.view), name="coupons_redeem")
        urls: list[URLPattern] = super().get_urls()
        return [own, *urls]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[VoucherOrder], search_term: str
    ) -> tuple[QuerySet[VoucherOrder], bool]:
        """A number is an order's id or a phone; words are a voucher's title."""
        term = search_term.strip()
        if term.isascii() and term.isdigit() and len(term) > 12:
            return queryset.filter(pk=min(int(term), 2**63 - 1)), False
        if found := queryset.filter(user__phone=phones.canonical(term)):
            return found, False
        results: tuple[QuerySet[VoucherOrder], bool] = super().get_search_results(request, queryset, term)
        return results

    @display(description=_("voucher"), header=True)
    def heading(self, order: VoucherOrder) -> list[str]:
        return [order.voucher.title, order.voucher.shop.name]

    @display(description=_("person"), header=True, ordering="user")
    def person(self, order: VoucherOrder) -> list[str]:
        return [order.user.nickname, order.user.phone]

    @display(description=_("price"), ordering="price")
    def pays(self, order: VoucherOrder) -> str:
        return f"¥{order.price / MINOR_UNITS:.2f}"

    @display(description=_("payments"))
    def payments(self, order: VoucherOrder) -> str:
        """A link to every attempt to pay it."""
        url = reverse("admin:coupons_payment_changelist", query={"q": order.pk})
        return format_html('<a href="{}">{}</a>', url, Payment.objects.filter(order_id=order.pk).count())

    @display(
        description=_("status"), ordering="status", label={s.label: kind for s, kind in STATUS_BADGES.items()}
    )
    def badge(self, order: VoucherOrder) -> Any:
        return Status(order.status).label

    def has_cancel_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Only what waits for payment can be cancelled."""
        if not request.user.has_perm("coupons.change_voucherorder"):
            return False
        return object_id is None or self._unpaid(object_id)

    def _unpaid(self, object_id: Any) -> bool:
        return VoucherOrder.objects.filter(pk=parse_row_id(str(object_id)), status=Status.UNPAID).exists()

    @action(
        description=_("Cancel the order"),
        url_path="cancel-order",
        icon="cancel",
        permissions=["cancel"],
        dialog=confirm_dialogs.build(
            _("Cancel this order?"),
            _("The unit goes back on sale, once, and the person may buy again."),
            _("Cancel the order"),
        ),
    )
    def cancel_order(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        order = VoucherOrder.objects.get(pk=object_id)
        url = reverse("admin:coupons_voucherorder_change", args=[order.pk])
        try:
            lifecycle.cancel(order)
        except lifecycle.TransitionNotAllowed:
            sentence = str(_("Too late: the order isn't waiting for payment any more."))
            return confirm_dialogs.redirect_with_message(request, url, sentence, level=messages.ERROR)
        history.record_changed(request, order, str(_("cancelled")))
        return confirm_dialogs.redirect_with_message(
            request, url, str(_("The order is cancelled and its unit is back on sale."))
        )


@admin.register(StockLedger)
class StockLedgerAdmin(ReadOnlyAdmin):
    """Units that came back, at most once an order."""

    list_display = ("sale", "order", "kind", "units", "created_at")
    list_select_related = ("sale__voucher", "order")
    search_fields = ("=order__id", *columns("sale__voucher__title"))
    ordering = ("-id",)
