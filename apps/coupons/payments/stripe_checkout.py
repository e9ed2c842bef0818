"""Payments by Stripe's Checkout, a page of theirs, on their own library.

Amounts go as they are: Stripe counts in the minor units of ISO 4217 too, but for a few currencies. The row
of a payment names its Checkout session (`provider_reference`): who begins again gets the same session.
"""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import stripe
from django.conf import settings
from django.http import HttpResponse, JsonResponse

from apps.coupons.models.payments import AnyCharge, Charge, Payment
from apps.coupons.payments import provider, transitions
from apps.coupons.payments.provider import Notice

#: Seconds that a call may take.
TIMEOUT_SECONDS = 10
#: Stripe takes no shorter time than half an hour; money that comes after ours is over goes back.
SESSION_LIFETIME = timedelta(minutes=40)
#: Currencies without minor units that Stripe counts in hundredths all the same.
HUNDREDFOLD = {"ISK", "UGX"}
#: Currencies with minor units that Stripe counts in whole ones.
UNSUPPORTED = {"MGA"}
SUCCEEDED_EVENTS = {"checkout.session.completed", "checkout.session.async_payment_succeeded"}
FAILED_REFUNDS = {"failed", "canceled"}
#: As many as Stripe lists at once; a charge of twenty orders has twenty, and those that failed.
MAX_LISTED_REFUNDS = 100
FAILED_EVENTS = {"checkout.session.async_payment_failed", "checkout.session.expired"}


class StripeCheckout:
    """A PaymentProvider for STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET."""

    name = "stripe"
    form_action = ("https://checkout.stripe.com",)

    def __init__(self) -> None:
        if not (settings.STRIPE_SECRET_KEY and settings.STRIPE_WEBHOOK_SECRET):
            raise provider.NotConfigured("set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET")
        self._calls = stripe.StripeClient(
            settings.STRIPE_SECRET_KEY,
            base_addresses={"api": settings.STRIPE_API_URL},
            http_client=stripe.RequestsClient(timeout=TIMEOUT_SECONDS),
            # Repeated calls are ours: the sweep and the buyer come again.
            max_network_retries=0,
        ).v1

    def begin(self, charge: AnyCharge, return_url: str) -> str:
        """The URL of the payment's Checkout page."""
        session = (
            self._fetch_session(charge) if charge.provider_reference else self._create(charge, return_url)
        )
        if not session.get("url"):
            raise provider.Unavailable("the Checkout session takes no payment any more")
        return str(session["url"])

    def refund(self, payment: Payment) -> None:
        """Return the whole amount; Stripe knows a repeated call by its key, and later by the charge."""
        self._refund({"payment_intent": self._fetch_intent(payment)}, payment.reference)

    def refund_part(self, charge: Charge, amount: int, key: str) -> None:
        """Return a part of a charge; Stripe knows a repeated call by its key, and we later by its refunds."""
        intent = self._fetch_intent(charge)
        if key not in self._list_refunded(intent):
            part = _to_stripe_amount(amount, charge.currency)
            self._refund({"payment_intent": intent, "amount": part}, key)

    def _fetch_intent(self, charge: AnyCharge) -> str:
        intent = self._fetch_session(charge).get("payment_intent")
        if not intent:
            raise provider.Unavailable("Stripe has taken no money for it")
        return str(intent)

    def _list_refunded(self, intent: str) -> set[str]:
        """Our keys of the refunds that a charge has already: Stripe forgets its own after a day."""
        try:
            listed = self._call(
                self._calls.refunds.list, {"payment_intent": intent, "limit": MAX_LISTED_REFUNDS}
            )
        except _Refused as error:
            raise provider.Unavailable(str(error)) from error
        refunds = listed.get("data")
        if not isinstance(refunds, list) or listed.get("has_more"):
            raise provider.Unavailable("Stripe's list of refunds can't be read")
        return {
            str(_read_member(made, "metadata").get("reference"))
            for made in refunds
            if made.get("status") not in FAILED_REFUNDS
        }

    def _refund(self, what: dict[str, Any], key: str) -> None:
        try:
            made = self._call(
                self._calls.refunds.create,
                what | {"metadata": {"reference": key}},
                options={"idempotency_key": f"refund-{key}"},
            )
        except _Refused as error:
            if error.code == "charge_already_refunded":
                return
            raise provider.Unavailable(str(error)) from error
        if made.get("status") in FAILED_REFUNDS:
            raise provider.Unavailable(f"the refund is {made['status']}")

    def query(self, reference: str) -> Notice | None:
        """The outcome of a payment's session."""
        charge = transitions.find_charge(reference)
        if not charge.provider_reference:
            # Written before any buyer got to know the page.
            return None
        session = self._fetch_session(charge)
        return _read_session(session, failed=session.get("status") == "expired")

    def verify(self, headers: Mapping[str, str], body: bytes) -> Notice | None:
        """The notice in an event of a Checkout session; None for an event about something else."""
        event = _read_event(headers.get("Stripe-Signature"), body)
        kind, session = event.get("type"), _read_member(_read_member(event, "data"), "object")
        if kind not in SUCCEEDED_EVENTS | FAILED_EVENTS:
            return None
        if not provider.REFERENCE_PATTERN.fullmatch(str(session.get("client_reference_id"))):
            # Another shop's of the same account.
            return None
        return _read_session(session, failed=kind in FAILED_EVENTS)

    def acknowledge(self, _state: str) -> HttpResponse:
        """Stripe reads the status alone."""
        return JsonResponse({"received": True})

    def _create(self, charge: AnyCharge, return_url: str) -> dict[str, Any]:
        price = {
            "currency": charge.currency.lower(),
            "unit_amount": _to_stripe_amount(charge.amount, charge.currency),
            "product_data": {"name": charge.subject},
        }
        about = {"reference": charge.reference}
        parameters = {
            "mode": "payment",
            "line_items": [{"quantity": 1, "price_data": price}],
            "client_reference_id": charge.reference,
            "metadata": about,
            "payment_intent_data": {"metadata": about},
            "success_url": return_url,
            "cancel_url": f"{return_url}?gave_up=1",
            "expires_at": int((charge.begun_at + SESSION_LIFETIME).timestamp()),
        }
        try:
            session = self._call(
                self._calls.checkout.sessions.create,
                parameters,
                options={"idempotency_key": f"begin-{charge.reference}"},
            )
        except _Refused as error:
            raise provider.Unavailable(str(error)) from error
        transitions.save_provider_reference(charge, str(session.get("id", "")))
        return session

    def _fetch_session(self, charge: AnyCharge) -> dict[str, Any]:
        if not charge.provider_reference:
            raise provider.Unavailable("Stripe has no session for it")
        try:
            return self._call(self._calls.checkout.sessions.retrieve, charge.provider_reference)
        except _Refused as error:
            raise provider.Unavailable(str(error)) from error

    def _call(self, method: Any, *args: Any, **more: Any) -> dict[str, Any]:
        """A call's answer as plain data; _Refused for what Stripe refuses, Unavailable for other failures."""
        try:
            answer: dict[str, Any] = method(*args, **more).to_dict()
        except stripe.InvalidRequestError as error:
            raise _Refused(error) from error
        except stripe.StripeError as error:
            raise provider.Unavailable(f"{type(error).__name__}: {str(error):.200}") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise provider.Unavailable(f"Stripe's answer can't be read: {type(error).__name__}") from error
        return answer


class _Refused(Exception):
    """Stripe refuses the request; `code` says why."""

    def __init__(self, error: stripe.InvalidRequestError) -> None:
        super().__init__(f"Stripe refuses it: {error.code}: {str(error):.160}")
        self.code = error.code


def _to_stripe_amount(amount: int, currency: str) -> int:
    if currency in UNSUPPORTED:
        raise provider.NotConfigured(f"Stripe counts {currency} in another unit than this site")
    return amount * 100 if currency in HUNDREDFOLD else amount


def _read_event(signature: str | None, body: bytes) -> dict[str, Any]:
    """The event of a callback's body; Forged, Stale or Malformed."""
    try:
        stripe.WebhookSignature.verify_header(
            body.decode(), signature or "", settings.STRIPE_WEBHOOK_SECRET, stripe.Webhook.DEFAULT_TOLERANCE
        )
    except UnicodeDecodeError as error:
        raise provider.Forged("the body is no text") from error
    except stripe.SignatureVerificationError as error:
        kind = provider.Stale if "tolerance" in str(error) else provider.Forged
        raise kind("the signature is not Stripe's, or too old") from error
    try:
        event = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise provider.Malformed("the body is not JSON") from error
    return event if isinstance(event, dict) else {}


def _read_member(content: dict[str, Any], name: str) -> dict[str, Any]:
    found = content.get(name)
    return found if isinstance(found, dict) else {}


def _read_session(session: dict[str, Any], *, failed: bool) -> Notice | None:
    """The notice in a Checkout session; None while it is unpaid."""
    if not failed and session.get("payment_status") != "paid":
        return None
    amount, currency = session.get("amount_total"), session.get("currency")
    if type(amount) is not int or amount < 0 or not isinstance(currency, str):
        raise provider.Malformed("the session has no amount")
    code = currency.upper()
    if code in HUNDREDFOLD and amount % 100 == 0:
        amount //= 100
    reason = provider.NO_MONEY.fill() if failed else ""
    reference = str(session.get("client_reference_id"))
    return Notice(reference=reference, succeeded=not failed, amount=amount, currency=code, reason=reason)
