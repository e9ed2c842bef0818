"""The admin of orders: search, cancel, redeem and export, with each order's payments and returned stock."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import display_for_value
from django.contrib.auth.decorators import permission_required
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.decorators import action, display
from unfold.utils import display_for_label
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.accounts import auth, phones
from apps.accounts.models import User
from apps.adminkit import confirm_dialogs, exports, history
from apps.adminkit.change_forms import Badges
from apps.adminkit.day_range import DayRangeFilter
from apps.adminkit.exports import Column
from apps.adminkit.plain_search import to_plain_term
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.coupons.counter import redeeming
from apps.coupons.models import Gift, Payment, Status, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds
from apps.shops import money
from apps.shops.members.own_rows import ShopRowsAdmin
from apps.web.in_language import columns
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

#: The badge of each status.
STATUS_BADGES = Badges(
    {
        Status.UNPAID.label: "warning",
        Status.PAID.label: "success",
        Status.USED.label: "info",
        Status.CANCELLED.label: "default",
        Status.REFUNDED.label: "danger",
    }
)

PHONE_COLUMN = Column(pgettext_lazy("person", "phone"), lambda order: order.user.phone)
#: What an exported order says; its redeem code stays the buyer's here too.
EXPORT_COLUMNS = (
    Column(_("order"), lambda order: order.pk),
    Column(_("voucher"), lambda order: order.voucher.title),
    Column(_("shop"), lambda order: order.voucher.shop.name),
    Column(_("person"), lambda order: order.user.nickname),
    PHONE_COLUMN,
    Column(_("given to"), lambda order: order.holder.nickname if order.holder else ""),
    Column(_("price"), lambda order: money.write_plainly(order.price, order.currency)),
    Column(_("currency"), lambda order: order.currency),
    Column(_("status"), lambda order: Status(order.status).label),
    Column(pgettext_lazy("time", "accepted"), lambda order: exports.format_time(order.accepted_at)),
    Column(pgettext_lazy("time", "paid"), lambda order: exports.format_time(order.paid_at)),
    Column(pgettext_lazy("time", "used"), lambda order: exports.format_time(order.used_at)),
    Column(pgettext_lazy("time", "cancelled"), lambda order: exports.format_time(order.cancelled_at)),
    Column(pgettext_lazy("time", "refunded"), lambda order: exports.format_time(order.refunded_at)),
)


#: What an owner's file leaves out: who bought with which phone is the site's to know.
OWNER_EXPORT_COLUMNS = tuple(column for column in EXPORT_COLUMNS if column is not PHONE_COLUMN)

#: A code is read letter by letter: a phone must not autocorrect it.
_CODE_INPUT_ATTRS = {
    "autofocus": True,
    "autocomplete": "off",
    "autocapitalize": "none",
    "spellcheck": "false",
}


class KindFilter(admin.SimpleListFilter):
    """Orders of flash sales, or of coupons that are sold without end."""

    title, parameter_name = pgettext_lazy("order", "kind"), "kind"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("sale", _("Flash sale")), ("voucher", _("Coupon"))]

    def queryset(self, _request: HttpRequest, orders: QuerySet[VoucherOrder]) -> QuerySet[VoucherOrder]:
        if self.value() not in {"sale", "voucher"}:
            return orders
        return orders.filter(voucher__sale__isnull=self.value() == "voucher")


class PersonFilter(AutocompleteSelectFilter):
    """Orders that a person bought, given away or not, and those that were given to them."""

    def queryset(self, _request: HttpRequest, orders: Any) -> Any:
        person = self.value()
        try:
            return orders.seen_by(person) if person else orders
        except ValueError as error:
            raise IncorrectLookupParameters(error) from error


PERSON_FILTER = ("user", PersonFilter)


@admin.register(VoucherOrder)
class OrderAdmin(exports.ExportAdmin, ReadOnlyAdmin, ShopRowsAdmin):
    """Orders, to look at, to cancel, to refund and to export; the redeem code stays the buyer's."""

    is_in_search = True
    shop_path = "voucher__shop"

    list_display = ("id", "heading", "person", "pays", "badge", "accepted_at")
    list_filter = (
        ("accepted_at", DayRangeFilter),
        ("status", ChoicesDropdownFilter),
        KindFilter,
        ("voucher__shop", AutocompleteSelectFilter),
        PERSON_FILTER,
    )
    list_filter_submit = True
    list_select_related = ("user", "holder", "voucher__shop")
    search_fields = ("user__phone", *columns("voucher__title"))
    search_help_text = _("Order number, phone or voucher")
    ordering = ("-id",)
    actions_detail = ("cancel_order", "refund_order")
    export_columns = EXPORT_COLUMNS
    fields = (
        ("id", "state"),
        ("user", "voucher"),
        ("receiver", "given_at"),
        ("pays", "epoch"),
        ("payments",),
        ("accepted_at", "created_at"),
        ("pay_deadline", "paid_at"),
        ("used_at", "refunded_at"),
        "cancelled_at",
    )
    readonly_fields = ("state", "receiver", "given_at", "pays", "payments")

    def get_urls(self) -> list[URLPattern]:
        own = path("redeem/", self.admin_site.admin_view(view), name="coupons_redeem")
        urls: list[URLPattern] = super().get_urls()
        return [own, *urls]

    def get_list_display(self, request: HttpRequest) -> Any:
        """A shop's owner reads buyers' names and not their phones."""
        if self.sees_all(request):
            return self.list_display
        return tuple("buyer" if name == "person" else name for name in self.list_display)

    def get_list_filter(self, request: HttpRequest) -> Any:
        """A shop's owner has no search among the site's people."""
        if self.sees_all(request):
            return self.list_filter
        return tuple(one for one in self.list_filter if one != PERSON_FILTER)

    def get_fields(self, request: HttpRequest, _order: VoucherOrder | None = None) -> Any:
        """The payments are for who may look at them."""
        may_see = request.user.has_perm("coupons.view_payment")
        return [row for row in self.fields if may_see or row != ("payments",)]

    def get_export_columns(self, request: HttpRequest) -> Sequence[Column]:
        return EXPORT_COLUMNS if self.sees_all(request) else OWNER_EXPORT_COLUMNS

    def get_search_fields(self, request: HttpRequest) -> Any:
        return self.search_fields if self.sees_all(request) else columns("voucher__title")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[VoucherOrder], search_term: str
    ) -> tuple[QuerySet[VoucherOrder], bool]:
        """A number is an order's id or a phone; words are a voucher's title."""
        term = to_plain_term(search_term)
        # By id, which the orders have an index of: by phone every order would be read.
        person = User.objects.filter(phone=phones.canonical(term)).first() if term else None
        if person is not None and self.sees_all(request):
            return queryset.filter(Q(user=person) | Q(holder=person)), False
        if term.isascii() and term.isdigit() and len(term) > 12:
            return queryset.filter(pk=min(int(term), 2**63 - 1)), False
        results: tuple[QuerySet[VoucherOrder], bool] = super().get_search_results(request, queryset, term)
        return results

    @display(description=_("voucher"), header=True)
    def heading(self, order: VoucherOrder) -> list[str]:
        return [order.voucher.title, order.voucher.shop.name]

    @display(description=_("person"), header=True, ordering="user")
    def person(self, order: VoucherOrder) -> list[str]:
        return [self.buyer(order), order.user.phone]

    @display(description=_("person"))
    def buyer(self, order: VoucherOrder) -> str:
        if order.holder is None:
            return order.user.nickname
        names = {"buyer": order.user.nickname, "holder": order.holder.nickname}
        return str(_("%(buyer)s, given to %(holder)s") % names)

    @display(description=_("given to"))
    def receiver(self, order: VoucherOrder) -> str:
        """Who took it as a gift, the open link, or "–"; phones are the site's to know."""
        if order.holder is not None:
            return order.holder.nickname or "–"
        gift: Gift | None = getattr(order, "gift", None)
        return str(_("a link is open")) if gift and gift.is_open and order.status == Status.PAID else "–"

    @display(description=_("taken"))
    def given_at(self, order: VoucherOrder) -> str:
        gift: Gift | None = getattr(order, "gift", None)
        return str(display_for_value(gift and gift.taken_at, "–"))

    @display(description=_("price"), ordering="price")
    def pays(self, order: VoucherOrder) -> str:
        return money.format_amount(order.price, order.currency)

    @display(description=_("payments"))
    def payments(self, order: VoucherOrder) -> str:
        """A link to every attempt to pay it."""
        url = reverse("admin:coupons_payment_changelist", query={"q": order.pk})
        return format_html('<a href="{}">{}</a>', url, Payment.objects.filter(order_id=order.pk).count())

    @display(description=_("status"), ordering="status", label=STATUS_BADGES)
    def badge(self, order: VoucherOrder) -> Any:
        return Status(order.status).label

    @display(description=_("status"))
    def state(self, order: VoucherOrder) -> str:
        """The badge on the order's own page, where a display has no label."""
        return display_for_label(Status(order.status).label, "–", STATUS_BADGES)

    def has_cancel_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Only what waits for payment can be cancelled."""
        return self._may_end(request, object_id, Status.UNPAID)

    def has_refund_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Only what is paid and not used can be refunded."""
        return self._may_end(request, object_id, Status.PAID)

    def _may_end(self, request: HttpRequest, object_id: Any, status: Status) -> bool:
        if not request.user.has_perm("coupons.change_voucherorder"):
            return False
        rows = self.get_queryset(request).filter(status=status)
        return object_id is None or rows.filter(pk=parse_row_id(str(object_id))).exists()

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
        too_late = _("Too late: the order isn't waiting for payment any more.")
        done = _("The order is cancelled and its unit is back on sale.")
        return self._end(request, object_id, lifecycle.cancel, str(_("cancelled")), (done, too_late))

    @action(
        description=_("Refund the order"),
        url_path="refund-order",
        icon="currency_exchange",
        permissions=["refund"],
        dialog=confirm_dialogs.build(
            _("Refund this order?"),
            _("The money goes back to the buyer, the unit goes back on sale, and the code stops working."),
            _("Refund the order"),
        ),
    )
    def refund_order(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        too_late = _("Too late: the order was used or refunded meanwhile.")
        done = _("The order is refunded: its money is on the way back.")
        return self._end(request, object_id, refunds.refund_order, str(_("refunded")), (done, too_late))

    def _end(
        self,
        request: HttpRequest,
        object_id: str,
        verb: Callable[[VoucherOrder], None],
        what: str,
        sentences: tuple[Any, Any],
    ) -> HttpResponse:
        """Run the verb and come back to the order's page; `sentences` are of a success and of too late."""
        order = self.get_object(request, object_id)
        if order is None:
            raise Http404
        url = reverse("admin:coupons_voucherorder_change", args=[order.pk])
        done, too_late = map(str, sentences)
        try:
            verb(order)
        except lifecycle.TransitionNotAllowed:
            return confirm_dialogs.redirect_with_message(request, url, too_late, level=messages.ERROR)
        history.record_changed(request, order, what)
        return confirm_dialogs.redirect_with_message(request, url, done)


@admin.register(StockLedger)
class StockLedgerAdmin(ReadOnlyAdmin):
    """Units that came back, at most once an order."""

    empty_text = _("No stock came back: no order of a sale was cancelled or refunded.")
    list_display = ("sale", "order", "kind", "units", "created_at")
    list_select_related = ("sale__voucher", "order")
    search_fields = ("=order__id", *columns("sale__voucher__title"))
    ordering = ("-id",)


class CodeForm(forms.Form):
    """The one field; what is in it is judged by redeeming.find_order."""

    code = forms.CharField(
        label=pgettext_lazy("redeem", "Code"), widget=UnfoldAdminTextInputWidget(attrs=_CODE_INPUT_ATTRS)
    )


@permission_required(redeeming.PERMISSION, raise_exception=True)
def view(request: HttpRequest) -> HttpResponse:
    """GET looks a code up; POST redeems it and comes back for the next one."""
    code = (request.POST if request.method == "POST" else request.GET).get("code", "").strip()
    order = None
    try:
        order = redeeming.find_order(code, auth.require_user(request)) if code else None
        if order and request.method == "POST":
            redeeming.redeem(request, order)
            names = {"voucher": order.voucher.title, "person": order.guest.nickname}
            messages.success(request, gettext("Redeemed: %(voucher)s, %(person)s.") % names)
            return redirect("admin:coupons_redeem")
    except Problem as why:
        facts = {"code": code, "order": order, "problem": why.detail}
        return _render_page(request, why.status, headers=why.headers, **facts)
    reason = redeeming.refusal_reason(order) if order else ""
    return _render_page(request, code=code, order=order, problem=reason)


def _render_page(
    request: HttpRequest, status: int = 200, *, headers: dict[str, str] | None = None, **facts: Any
) -> HttpResponse:
    # A wrong code stays in the field, to be mended.
    typed = "" if facts.get("order") else facts.get("code", "")
    form = CodeForm(initial={"code": typed})
    context = admin.site.each_context(request) | {"title": gettext("Redeem"), "form": form, **facts}
    drawn = render_to_string("admin/coupons/redeem.html", context, request)
    return HttpResponse(drawn, status=status, headers=headers)
