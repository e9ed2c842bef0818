"""The demo's payment provider: a bank on this site with play money. The buttons of its page are in views.py.

Its callbacks are JSON, {"reference", "outcome": "succeeded" | "failed", "amount", "currency", "reason"},
signed with HMAC-SHA256, as hex, of the timestamp (unix seconds), a dot and the body.
"""

import hmac
import http.client
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone

from apps.coupons.models.payments import AnyCharge, Charge, Payment, SandboxCharge
from apps.coupons.payments import provider
from apps.coupons.payments.provider import REFERENCE_PATTERN, Forged, Malformed, Notice, Stale
from apps.web.problems.parsing import is_storable_text

NAME = "sandbox"
CALLBACK_TIMEOUT = timedelta(seconds=10)
ChargeState = SandboxCharge.State
TIMESTAMP_HEADER, SIGNATURE_HEADER = "Payment-Timestamp", "Payment-Signature"
#: A recorded callback can't be replayed after this time; clocks differ by less.
MAX_CALLBACK_AGE = timedelta(minutes=5)
_UNIX_SECONDS_PATTERN = re.compile(r"[0-9]{1,12}")
CURRENCY_PATTERN = re.compile(r"[A-Z]{3}")
OUTCOMES = {"succeeded": True, "failed": False}
MAX_REASON_LENGTH = 200


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
        verify_callback(headers, body, secret=provider.callback_secret(), at=timezone.now())
        return parse_notice(body)

    def acknowledge(self, state: str) -> HttpResponse:
        """The payment's state as JSON."""
        return JsonResponse({"state": state})


def send_callback(reference: str) -> None:
    """POST the outcome of a charge to the shop; raises CallbackNotAccepted or OSError, then it is tried
    again.
    """
    status = _post_to_shop(serialize_notice(_build_notice(SandboxCharge.objects.get(pk=reference))))
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
    headers = sign_callback(body, secret=provider.callback_secret(), at=timezone.now())
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


def sign_callback(body: bytes, *, secret: bytes, at: datetime) -> dict[str, str]:
    """The two headers of a callback sent `at` that moment."""
    timestamp = str(int(at.timestamp()))
    return {TIMESTAMP_HEADER: timestamp, SIGNATURE_HEADER: _compute_mac(timestamp, body, secret)}


def verify_callback(headers: Mapping[str, str], body: bytes, *, secret: bytes, at: datetime) -> None:
    """Raises Forged unless the holder of the secret signed this body, Stale when that is not of now."""
    timestamp = headers.get(TIMESTAMP_HEADER, "")
    if not _UNIX_SECONDS_PATTERN.fullmatch(timestamp):
        raise Forged("no timestamp")
    expected = _compute_mac(timestamp, body, secret)
    # As bytes: compare_digest takes no text beyond ASCII, and a header can carry it.
    if not hmac.compare_digest(expected.encode(), headers.get(SIGNATURE_HEADER, "").encode()):
        raise Forged("the signature is not the provider's")
    if abs(at.timestamp() - int(timestamp)) > MAX_CALLBACK_AGE.total_seconds():
        raise Stale("the callback was signed more than five minutes ago, or by a clock that is wrong")


def _compute_mac(timestamp: str, body: bytes, secret: bytes) -> str:
    return hmac.new(secret, timestamp.encode() + b"." + body, "sha256").hexdigest()


def serialize_notice(notice: Notice) -> bytes:
    """The JSON body of a callback with this notice."""
    outcome = "succeeded" if notice.succeeded else "failed"
    content = {"reference": notice.reference, "outcome": outcome, "reason": notice.reason}
    return json.dumps(content | {"amount": notice.amount, "currency": notice.currency}).encode()


def parse_notice(body: bytes) -> Notice:
    """The notice in a callback's body; raises Malformed with the field at fault."""
    content = _parse_object(body)
    outcome, reason = content.get("outcome"), content.get("reason", "")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise Malformed('"outcome" is "succeeded" or "failed"')
    if not isinstance(reason, str) or not is_storable_text(reason):
        raise Malformed('"reason" is a text')
    return Notice(
        reference=_read_matching(content, "reference", REFERENCE_PATTERN),
        succeeded=OUTCOMES[outcome],
        amount=_check_amount(content.get("amount")),
        currency=_read_matching(content, "currency", CURRENCY_PATTERN),
        reason=reason[:MAX_REASON_LENGTH],
    )


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    # Deep nesting is a RecursionError, a number of 5,000 digits and bytes that are no text are ValueErrors.
    except (ValueError, RecursionError) as error:
        raise Malformed("the body is not JSON") from error
    if not isinstance(content, dict):
        raise Malformed("the body is not an object")
    return content


def _read_matching(content: dict[str, Any], name: str, shape: "re.Pattern[str]") -> str:
    found = content.get(name)
    if not isinstance(found, str) or not shape.fullmatch(found):
        raise Malformed(f'"{name}" is missing or misshaped')
    return found


def _check_amount(found: object) -> int:
    # True is an int in Python, and no amount.
    if type(found) is not int or found < 0:
        raise Malformed('"amount" is a whole number of minor units')
    return found
