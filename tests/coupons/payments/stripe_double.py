"""Stripe's Checkout on loopback: its documented answers to the calls that we make, and signed events."""

import hmac
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from tests import http_double
from tests.http_double import Answer, Double, Received

KEY, WEBHOOK_SECRET = "sk_test_double", "whsec_double"


class StripeDouble:
    """Sessions and refunds by what we called them; `fault` is the answer to every call while it is set."""

    def __init__(self, server: Double) -> None:
        self.server, server.answer = server, self._answer
        self.sessions: dict[str, dict[str, Any]] = {}
        self.refunds: list[dict[str, str]] = []
        self.fault: Answer | None = None
        self._kept: dict[str, dict[str, Any]] = {}

    def pay(self, status: str = "complete", payment_status: str = "paid") -> None:
        """The buyer pays every session, or leaves it."""
        for session in self.sessions.values():
            intent = f"pi_{session['id']}" if payment_status == "paid" else None
            session.update(status=status, payment_status=payment_status, payment_intent=intent, url=None)

    def event(self, kind: str = "checkout.session.completed", **changes: Any) -> bytes:
        """An event about the newest session."""
        *_earlier, session = self.sessions.values()
        about = {"id": "evt_1", "object": "event", "type": kind, "api_version": "2026-10-28"}
        return json.dumps(about | {"data": {"object": session | changes}}).encode()

    def _answer(self, request: Received) -> Answer:
        if self.fault:
            return self.fault
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return _refuse(401, "invalid_request_error", "api_key_invalid")
        fields = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        key = request.headers.get("idempotency-key", "")
        if request.method == "POST" and key in self._kept:
            return _show(self._kept[key])
        if request.path == "/v1/checkout/sessions":
            return _show(self._kept.setdefault(key, self._open(fields)))
        if request.path == "/v1/refunds":
            return self._refund(fields, key)
        if request.path.startswith("/v1/refunds?"):
            return self._list_refunds(parse_qs(request.path.partition("?")[2])["payment_intent"][0])
        session = self.sessions.get(request.path.rpartition("/")[2])
        return _show(session) if session else _refuse(404, "invalid_request_error", "resource_missing")

    def _open(self, fields: dict[str, str]) -> dict[str, Any]:
        number = f"cs_test_{len(self.sessions) + 1}"
        session = {
            "id": number,
            "object": "checkout.session",
            "url": f"https://checkout.stripe.com/c/pay/{number}",
            "status": "open",
            "payment_status": "unpaid",
            "payment_intent": None,
            "amount_total": int(fields["line_items[0][price_data][unit_amount]"]),
            "currency": fields["line_items[0][price_data][currency]"],
            "client_reference_id": fields["client_reference_id"],
            "metadata": {"reference": fields["metadata[reference]"]},
        }
        self.sessions[number] = session
        return session

    def _refund(self, fields: dict[str, str], key: str) -> Answer:
        intent = fields["payment_intent"]
        (paid,) = [one["amount_total"] for one in self.sessions.values() if one["payment_intent"] == intent]
        left = paid - self.sum_refunded(intent)
        amount = int(fields.get("amount", left))
        if not left:
            return _refuse(400, "invalid_request_error", "charge_already_refunded")
        if amount > left:
            return _refuse(400, "invalid_request_error", "amount_too_large")
        self.refunds.append(fields | {"amount": str(amount)})
        return _show(self._kept.setdefault(key, _describe_refund(fields)))

    def _list_refunds(self, intent: str) -> Answer:
        found = [_describe_refund(made) for made in self.refunds if made["payment_intent"] == intent]
        return _show({"object": "list", "url": "/v1/refunds", "has_more": False, "data": found})

    def sum_refunded(self, intent: str) -> int:
        """How much of what it took for an intent Stripe has returned."""
        return sum(int(made["amount"]) for made in self.refunds if made["payment_intent"] == intent)

    def forget_keys(self) -> None:
        """As Stripe does a day later."""
        self._kept.clear()


@contextmanager
def serve() -> Iterator[StripeDouble]:
    """The double until the block ends."""
    with http_double.serve() as server:
        yield StripeDouble(server)


def sign(body: bytes, *, secret: str = WEBHOOK_SECRET, age: int = 0) -> dict[str, str]:
    """The header with which Stripe signs an event."""
    at = int(time.time()) - age
    mac = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    return {"Stripe-Signature": f"t={at},v1={mac}"}


def _describe_refund(fields: dict[str, str]) -> dict[str, Any]:
    about = {"metadata": {"reference": fields["metadata[reference]"]}, "status": "succeeded"}
    return {"id": f"re_{fields['metadata[reference]']}", "object": "refund"} | about


def _show(content: dict[str, Any]) -> Answer:
    return Answer(200, json.dumps(content).encode(), {"Content-Type": "application/json"})


def _refuse(status: int, kind: str, code: str) -> Answer:
    error = {"type": kind, "code": code, "message": f"refused: {code}"}
    return Answer(status, json.dumps({"error": error}).encode(), {"Content-Type": "application/json"})
