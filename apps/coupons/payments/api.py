from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema

from apps.coupons.models.payments import Payment
from apps.coupons.payments import provider, sandbox, settlement, tasks
from apps.coupons.payments.provider import Notice, PaymentProvider
from apps.redis_kit import client, limiter
from apps.web import client_address
from apps.web.problems import Problem, documented

#: Per address. What is signed well is never counted: a provider must be heard.
BAD_CALLBACKS = limiter.Limit(
    name="bad_callbacks", family="payments", allowed=30, period=timedelta(minutes=1)
)

router = Router(tags=["payments"])
#: Bytes of a callback's body.
MAX_BODY_BYTES = 32 * 1024
_SIGNATURE_PARAMETERS = [
    {
        "name": sandbox.TIMESTAMP_HEADER,
        "in": "header",
        "schema": {"type": "string"},
        "description": "unix seconds",
    },
    {
        "name": sandbox.SIGNATURE_HEADER,
        "in": "header",
        "schema": {"type": "string"},
        "description": "HMAC-SHA256, in hex, of the timestamp, a dot and the body",
    },
]
_PROBLEM_CODES = {
    403: ["bad_signature", "stale"],
    404: ["not_found"],
    409: ["amount_differs"],
    413: ["too_large"],
    429: ["too_many_requests"],
}


class CallbackResult(Schema):
    """The payment's state after the callback."""

    state: str


@router.post(
    "/payments/{provider_name}/callback",
    operation_id="receivePaymentNotice",
    response=CallbackResult,
    url_name="payment_callback",
    summary="What a payment provider calls",
    openapi_extra=documented.problems(_PROBLEM_CODES) | {"parameters": _SIGNATURE_PARAMETERS},
)
def callback(request: HttpRequest, provider_name: str) -> Any:
    """The payment's state after a signed notice of its provider; the same notice again changes nothing."""
    found, notice = _verify_notice(request, provider_name)
    if notice is None:
        return found.acknowledge("")
    try:
        payments = settlement.receive_notice(provider_name, notice)
    except Payment.DoesNotExist:
        raise Problem(404, "not_found", _("There is no such payment.")) from None
    except settlement.AmountMismatch as why:
        raise Problem(409, "amount_differs", str(why)) from None
    tasks.schedule_waiting(payments)
    return found.acknowledge(payments[0].state)


def _verify_notice(request: HttpRequest, name: str) -> tuple[PaymentProvider, Notice | None]:
    try:
        found = provider.get_by_name(name)
        return found, found.verify(request.headers, _read_body(request))
    except provider.NotConfigured:
        raise Problem(404, "not_found", _("There is no such payment provider.")) from None
    except provider.Malformed as why:
        raise Problem(400, "invalid", str(why)) from None
    except provider.BadCallback as why:
        verdict = count_bad_callback(client_address.client_ip(request))
        if not verdict.allowed:
            raise Problem(429, "too_many_requests", "", verdict.retry_after) from None
        code = "stale" if isinstance(why, provider.Stale) else "bad_signature"
        raise Problem(403, code, str(why)) from None


def count_bad_callback(ip: str) -> limiter.Verdict:
    """Count a callback without a good signature; without Redis it is only refused."""
    with suppress(*client.UNAVAILABLE):
        return limiter.hit([(BAD_CALLBACKS, client_address.site_network(ip))])
    return limiter.Verdict(allowed=True)


def _read_body(request: HttpRequest) -> bytes:
    # The length is a number by now: the middleware refuses every other.
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY_BYTES:
        raise Problem(413, "too_large")
    return request.body
