"""The admin's page that redeems an order: enter its code or open the QR code's link, check, confirm."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.adminkit import history
from apps.coupons import limits
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.orders.recording import REDEEM_CODE_PATTERN
from apps.web.problems import Problem

#: A code is read letter by letter: a phone must not autocorrect it.
_CODE_INPUT_ATTRS = {
    "autofocus": True,
    "autocomplete": "off",
    "autocapitalize": "none",
    "spellcheck": "false",
}


class CodeForm(forms.Form):
    """The one field; what is in it is judged by `_find`."""

    code = forms.CharField(
        label=pgettext_lazy("redeem", "Code"), widget=UnfoldAdminTextInputWidget(attrs=_CODE_INPUT_ATTRS)
    )


@permission_required("coupons.redeem_order", raise_exception=True)
def view(request: HttpRequest) -> HttpResponse:
    """GET looks a code up; POST redeems it and comes back for the next one."""
    code = _extract_code((request.POST if request.method == "POST" else request.GET).get("code", ""))
    try:
        order = _find_order(code, staff_id=request.user.pk or 0) if code else None
        if order and request.method == "POST":
            return _redeem_order(request, order)
    except Problem as why:
        return _render_page(request, why.status, code=code, problem=why.detail, headers=why.headers)
    return _render_page(request, code=code, order=order, problem=_refusal_reason(order) if order else "")


def _extract_code(text: str) -> str:
    """The code in what a hand or a till's scanner entered: the scanner types the whole link."""
    return text.strip().rpartition("code=")[2]


def _find_order(code: str, *, staff_id: int) -> VoucherOrder:
    verdict = limits.may_redeem(staff_id)
    if not verdict.allowed:
        sentence = _("Too many wrong codes. Wait a few minutes, then try again.")
        raise Problem(429, "too_many_requests", sentence, verdict.retry_after)
    rows = VoucherOrder.objects.select_related("voucher__shop", "user")
    order = rows.filter(redeem_code=code).first() if REDEEM_CODE_PATTERN.fullmatch(code) else None
    if order is None:
        limits.count_wrong_code(staff_id)
        raise Problem(404, "not_found", _("Nobody holds this code. Large and small letters count."))
    return order


def _redeem_order(request: HttpRequest, order: VoucherOrder) -> HttpResponse:
    try:
        lifecycle.redeem(order)
    except lifecycle.TransitionNotAllowed:
        order.refresh_from_db()
        return _render_page(request, 409, code=order.redeem_code, order=order, problem=_refusal_reason(order))
    history.record_changed(request, order, str(_("redeemed")))
    said = {"voucher": order.voucher.title, "person": order.user.nickname}
    messages.success(request, _("Redeemed: %(voucher)s, %(person)s.") % said)
    return redirect("admin:coupons_redeem")


def _refusal_reason(order: VoucherOrder) -> str:
    """Nothing when the order can be redeemed."""
    sentences = {
        Status.UNPAID: _("This order is not paid."),
        Status.PAID: "",
        Status.USED: _("This coupon was used on %(when)s."),
        Status.CANCELLED: _("This order was cancelled on %(when)s."),
        Status.REFUNDED: _("This order was refunded on %(when)s."),
    }
    ended = order.used_at or order.cancelled_at or order.refunded_at
    when = date_format(timezone.localtime(ended), "DATETIME_FORMAT") if ended else "–"
    sentence = sentences[Status(order.status)]
    return sentence % {"when": when} if "%(when)s" in sentence else sentence


def _render_page(
    request: HttpRequest, status: int = 200, *, headers: dict[str, str] | None = None, **facts: Any
) -> HttpResponse:
    # A wrong code stays in the field, to be mended.
    typed = "" if facts.get("order") else facts.get("code", "")
    form = CodeForm(initial={"code": typed})
    context = admin.site.each_context(request) | {"title": _("Redeem"), "form": form, **facts}
    drawn = render_to_string("admin/coupons/redeem.html", context, request)
    return HttpResponse(drawn, status=status, headers=headers)
