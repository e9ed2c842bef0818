"""The pages of payments: the sandbox bank, its buttons, and the callbacks that it then sends to the shop."""

import logging
from datetime import timedelta

from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError

from apps.coupons.models.payments import SandboxCharge
from apps.coupons.payments import provider, tasks
from apps.queues import delayed
from apps.redis_kit import client
from apps.web.problems import Problem

#: How much later than the buyer's browser the shop hears of it, when that is wished.
LATE_CALLBACK_DELAY = timedelta(seconds=8)
ChargeState = SandboxCharge.State
log = logging.getLogger(__name__)


class BankAction(models.TextChoices):
    """The buttons of the bank's page."""

    PAY = "pay", gettext_lazy("Pay")
    LATE = "late", gettext_lazy("Pay, but tell the shop late")
    TWICE = "twice", gettext_lazy("Pay, and tell the shop twice")
    FAIL = "fail", gettext_lazy("Let it fail")
    GIVE_UP = "give_up", gettext_lazy("Cancel")
    AGAIN = "again", gettext_lazy("Tell the shop again")


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
    message = perform(charge, _parse_action(request))
    return redirect(charge.return_url + ("" if message else "?gave_up=1"))


def _parse_action(request: HttpRequest) -> BankAction:
    try:
        return BankAction(request.POST.get("press", ""))
    except ValueError:
        raise Problem(400, "invalid", _("This page has no such button.")) from None


def perform(charge: SandboxCharge, button: BankAction) -> bool:
    """Carry out the pressed button, once; False when the buyer gave up. Problem 503 while the shop can't
    be told.
    """
    if button is BankAction.GIVE_UP:
        return False
    if button is BankAction.AGAIN:
        is_to_tell = charge.state != ChargeState.OPEN
    else:
        is_to_tell = _decide_charge(
            charge, ChargeState.DECLINED if button is BankAction.FAIL else ChargeState.PAID
        )
    if is_to_tell:
        _send_callback(charge, button)
    return True


def _decide_charge(charge: SandboxCharge, state: str) -> bool:
    rows = SandboxCharge.objects.filter(pk=charge.pk, state=ChargeState.OPEN)
    return rows.update(state=state) == 1


def _send_callback(charge: SandboxCharge, button: BankAction) -> None:
    try:
        if button is BankAction.LATE:
            at = timezone.now() + LATE_CALLBACK_DELAY
            key, high = f"payments:call-back:{charge.pk}", delayed.Priority.HIGH
            delayed.schedule(tasks.call_back, [charge.pk], at=at, key=key, priority=high)
            return
        for _time in range(2 if button is BankAction.TWICE else 1):
            tasks.call_back.apply_async((charge.pk,), queue="high", retry=False)
    except (OperationalError, *client.UNAVAILABLE) as error:
        # The charge stays decided: its page has a button that tells the shop again.
        log.warning("charge %s: the shop is not told, the broker is away: %s", charge.pk, error)
        sentence = _("The bank can't reach the shop right now. Open this page again in a moment.")
        raise Problem(503, "busy", sentence, retry_after=5) from error
