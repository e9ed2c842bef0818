"""The admin's page of one sale: its state in Redis and SQL, its terms, and a button for each action."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.adminkit import history
from apps.coupons import live_settings
from apps.coupons.admin.sale_forms import TermsForm
from apps.coupons.catalog import offers, sales
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale
from apps.redis_kit import client


@permission_required("coupons.view_flashsale", raise_exception=True)
def view(request: HttpRequest, sale: FlashSale) -> HttpResponse:
    """GET shows; POST runs the verb of the pressed button and comes back."""
    form = TermsForm(request.POST if "terms" in request.POST else None, sale=sale)
    if request.method == "POST" and _run_pressed_action(request, sale, form):
        return redirect("admin:coupons_flashsale_change", sale.pk)
    return render(request, "admin/coupons/flash_sale.html", _page_context(request, sale, form))


def _run_pressed_action(request: HttpRequest, sale: FlashSale, form: TermsForm) -> bool:
    """Whether the pressed button did its work; else the form or a message says why not."""
    if not request.user.has_perm("coupons.change_flashsale"):
        raise PermissionDenied
    buttons: dict[str, Callable[[], str]] = {
        "terms": lambda: _change_terms(sale, form),
        "withdraw": lambda: _set_offered(sale, offered=False),
        "offer": lambda: _set_offered(sale, offered=True),
        "load": lambda: _reload_from_sql(sale),
    }
    pressed = next((act for name, act in buttons.items() if name in request.POST), None)
    try:
        message = pressed() if pressed else ""
    except client.UNAVAILABLE:
        messages.error(request, _("The live numbers can't be reached. Look at them before you press again."))
        return True
    if message:
        messages.success(request, message)
        history.record_changed(request, sale, message)
    return bool(message)


def _change_terms(sale: FlashSale, form: TermsForm) -> str:
    if not form.is_valid():
        return ""
    try:
        sales.change(sale.pk, form.terms)
    except ValidationError as error:
        for name, reasons in error.message_dict.items():
            form.add_error(name, reasons)
        return ""
    units = form.terms.units
    return ngettext("Saved: %(units)d unit in total.", "Saved: %(units)d units in total.", units) % {
        "units": units
    }


def _set_offered(sale: FlashSale, *, offered: bool) -> str:
    if offered:
        sales.offer_again(sale.voucher)
        return _("The voucher is on the site again.")
    sales.withdraw(sale.voucher)
    return _("The voucher is off the site and nobody can claim it. Orders stay as they are.")


def _reload_from_sql(sale: FlashSale) -> str:
    loading.load(sale.pk, force=True)
    return _("Loaded again.")


def _page_context(request: HttpRequest, sale: FlashSale, form: TermsForm) -> dict[str, Any]:
    try:
        state = offers.read_live_states([sale])[sale.pk]
    except client.UNAVAILABLE:
        state = None
    return admin.site.each_context(request) | {
        "title": sale.voucher.title,
        "sale": sale,
        "form": form,
        "live": state,
        "phase": offers.phase_for_staff(sale),
        "sold": sale.stock_total - sale.stock_left,
        "minutes_to_pay": live_settings.minutes_to_pay(),
        "made": "made" in request.GET,
        "may_change": request.user.has_perm("coupons.change_flashsale"),
        "public_url": request.build_absolute_uri(sale.voucher.get_absolute_url()),
    }
