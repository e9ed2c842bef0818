"""The demo's payment provider: a bank on this site with play money. Its buttons are in sandbox_bank.py."""

import http.client
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone

from apps.coupons.models.payments import AnyCharge, Charge, Payment, SandboxCharge
from apps.coupons.payments import notices, provider, signing
from apps.coupons.payments.provider import Notice

NAME = "sandbox"
CALLBACK_TIMEOUT = timedelta(seconds=10)
ChargeState = SandboxCharge.State


class CallbackNotAccepted(Exception):
    """The shop did not answer a callback with 2xx; the message has its status."""


class Sandbox:
    """The demo's PaymentProvider; with real money it would give coupons away."""

    name = NAME
    #: Its page is the site's own.
    form_action = ()

    def __init__(self) -> None:
        if not provider.is_demo():
            raise provider.NotConfigured("the sandbox is for DEMO=1: set PAYMENT_PROVIDER to a real provider")

    def begin(self, charge: AnyCharge, return_url: str) -> str:
        """The URL of the sandbox bank's page for a charge."""
        fields = {name: getattr(charge, name) for name in ("subject", "amount", "currency")}
        SandboxCharge.objects.get_or_create(
            reference=charge.reference, defaults=fields | {"return_url": return_url}
        )
        return urljoin(return_url, reverse("coupons:sandbox", args=[charge.reference]))

    def refund(self, payment: Payment) -> None:
        """Return a charge in the bank's table, once."""
        charges = SandboxCharge.objects.filter(pk=payment.reference)
        charges.update(refunds_asked=F("refunds_asked") + 1)
        if charges.filter(state=ChargeState.PAID).update(state=ChargeState.REFUNDED):
            return
        if not charges.filter(state=ChargeState.REFUNDED).exists():
            raise provider.Unavailable("the bank has taken no money for it")

    @transaction.atomic
    def refund_part(self, charge: Charge, amount: int, key: str) -> None:
        """Return a part of a charge in the bank's tables, once a key, and never more than was paid."""
        taken = SandboxCharge.objects.select_for_update().filter(pk=charge.reference).first()
        if taken is None or taken.state not in (ChargeState.PAID, ChargeState.REFUNDED):
            raise provider.Unavailable("the bank has taken no money for it")
        if taken.refunds.filter(key=key).exists():
            return
        returned = sum(taken.refunds.values_list("amount", flat=True)) + amount
        if returned > taken.amount or taken.state == ChargeState.REFUNDED:
            raise provider.Unavailable("the bank has taken less money for it")
        taken.refunds.create(key=key, amount=amount)
        taken.refunds_asked += 1
        if returned == taken.amount:
            taken.state = ChargeState.REFUNDED
        taken.save(update_fields=["refunds_asked", "state"])

    def query(self, reference: str) -> Notice | None:
        """The outcome in the bank's own table."""
        charge = SandboxCharge.objects.filter(pk=reference).first()
        if charge is None or charge.state == ChargeState.OPEN:
            return None
        if charge.state == ChargeState.REFUNDED:
            return replace(_build_notice(charge), succeeded=False, reason=provider.GIVEN_BACK.fill())
        return _build_notice(charge)

    def verify(self, headers: Mapping[str, str], body: bytes) -> Notice:
        """The notice of a callback signed with our secret."""
        signing.verify(headers, body, secret=provider.callback_secret(), at=timezone.now())
        return notices.parse(body)

    def acknowledge(self, state: str) -> HttpResponse:
        """The payment's state as JSON."""
        return JsonResponse({"state": state})


def send_callback(reference: str) -> None:
    """POST the outcome of a charge to the shop; raises CallbackNotAccepted or OSError, then it is tried
    again.
    """
    status = _post_to_shop(notices.serialize(_build_notice(SandboxCharge.objects.get(pk=reference))))
    if not 200 <= status < 300:
        raise CallbackNotAccepted(f"the shop answered {status}")


def _build_notice(charge: SandboxCharge) -> Notice:
    declined = charge.state == ChargeState.DECLINED
    return Notice(
        reference=charge.reference,
        succeeded=not declined,
        amount=charge.amount,
        currency=charge.currency,
        reason=provider.DECLINED.fill() if declined else "",
    )


def _post_to_shop(body: bytes) -> int:
    headers = signing.sign(body, secret=provider.callback_secret(), at=timezone.now())
    site = urlsplit(settings.SITE_URL)
    kind = http.client.HTTPSConnection if site.scheme == "https" else http.client.HTTPConnection
    line = kind(site.netloc, timeout=CALLBACK_TIMEOUT.total_seconds())
    try:
        path = reverse("api:payment_callback", args=[NAME])
        line.request("POST", path, body, headers | {"Content-Type": "application/json"})
        return line.getresponse().status
    except http.client.HTTPException as error:
        raise CallbackNotAccepted(f"the shop's answer is none: {error!r}") from error
    finally:
        line.close()
