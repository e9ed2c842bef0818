from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.coupons.models.payments import SandboxCharge
from apps.coupons.payments import provider, sandbox_bank
from apps.coupons.payments.sandbox_bank import BankAction
from apps.web.problems import Problem

#: What a person may try besides paying.
OTHER_ACTIONS = (BankAction.FAIL, BankAction.LATE, BankAction.TWICE)


@require_http_methods(["GET", "POST"])
@never_cache
def sandbox(request: HttpRequest, reference: str) -> HttpResponse:
    """The sandbox bank's page: pay, fail, pay late or twice, give up; then back to the shop."""
    charge = get_object_or_404(SandboxCharge, pk=reference if provider.is_demo() else "")
    if request.method == "GET":
        about = {"charge": charge, "press": BankAction, "more": OTHER_ACTIONS}
        return render(request, "coupons/payments/sandbox.html", about)
    message = sandbox_bank.perform(charge, _parse_action(request))
    return redirect(charge.return_url + ("" if message else "?gave_up=1"))


def _parse_action(request: HttpRequest) -> BankAction:
    try:
        return BankAction(request.POST.get("press", ""))
    except ValueError:
        raise Problem(400, "invalid", _("This page has no such button.")) from None
