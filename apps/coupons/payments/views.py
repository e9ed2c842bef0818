from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.coupons.payments import bank, provider
from apps.coupons.payments.bank import Press
from apps.coupons.payments.models import SandboxCharge
from apps.problems import Problem

#: What a person may try besides paying.
MORE = (Press.FAIL, Press.LATE, Press.TWICE)


@require_http_methods(["GET", "POST"])
@never_cache
def sandbox(request: HttpRequest, reference: str) -> HttpResponse:
    """The sandbox bank's page: pay, fail, pay late or twice, give up; then back to the shop."""
    charge = get_object_or_404(SandboxCharge, pk=reference if provider.is_demo() else "")
    if request.method == "GET":
        about = {"charge": charge, "press": Press, "more": MORE}
        return render(request, "coupons/payments/sandbox.html", about)
    told = bank.press(charge, _button(request))
    return redirect(charge.return_url + ("" if told else "?gave_up=1"))


def _button(request: HttpRequest) -> Press:
    try:
        return Press(request.POST.get("press", ""))
    except ValueError:
        raise Problem(400, "invalid", _("This page has no such button.")) from None
