"""The admin's page that redeems an order: enter its code or open the QR code's link, check, confirm."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.accounts import auth
from apps.coupons.orders import redeeming
from apps.web.problems import Problem

#: A code is read letter by letter: a phone must not autocorrect it.
_CODE_INPUT_ATTRS = {
    "autofocus": True,
    "autocomplete": "off",
    "autocapitalize": "none",
    "spellcheck": "false",
}


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
            messages.success(request, _("Redeemed: %(voucher)s, %(person)s.") % names)
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
    context = admin.site.each_context(request) | {"title": _("Redeem"), "form": form, **facts}
    drawn = render_to_string("admin/coupons/redeem.html", context, request)
    return HttpResponse(drawn, status=status, headers=headers)
