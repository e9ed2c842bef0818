from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema

from apps.accounts import addresses
from apps.coupons.payments import limits, provider, settling, signing, tasks
from apps.coupons.payments.models import Payment
from apps.coupons.payments.provider import Notice
from apps.problems import Problem, documented

router = Router(tags=["payments"])

#: Bytes of a callback's body.
LARGEST = 16 * 1024
_SIGNED = [
    {"name": signing.TIMESTAMP, "in": "header", "schema": {"type": "string"}, "description": "unix seconds"},
    {
        "name": signing.SIGNATURE,
        "in": "header",
        "schema": {"type": "string"},
        "description": "HMAC-SHA256, in hex, of the timestamp, a dot and the body",
    },
]
_REFUSED = {
    403: ["bad_signature", "stale"],
    404: ["not_found"],
    409: ["amount_differs"],
    413: ["too_large"],
    429: ["too_many_requests"],
}


class Heard(Schema):
    """Where the payment stands now."""

    state: str


@router.post(
    "/payments/{provider_name}/callback",
    response=Heard,
    url_name="payment_callback",
    summary="What a payment provider calls",
    openapi_extra=documented.problems(_REFUSED) | {"parameters": _SIGNED},
)
def callback(request: HttpRequest, provider_name: str) -> Any:
    """The signature is the authentication. The same notice again is answered with 200 and changes nothing."""
    notice = _verified(request, provider_name)
    try:
        payment = settling.receive(provider_name, notice)
    except Payment.DoesNotExist:
        raise Problem(404, "not_found", _("There is no such payment.")) from None
    except settling.Differs as why:
        raise Problem(409, "amount_differs", str(why)) from None
    if settling.is_waiting(payment):
        tasks.look_again(payment)
    return payment


def _verified(request: HttpRequest, name: str) -> Notice:
    try:
        return provider.named(name).verify(request.headers, _body(request))
    except provider.NotConfigured:
        raise Problem(404, "not_found", _("There is no such payment provider.")) from None
    except provider.Malformed as why:
        raise Problem(400, "invalid", str(why)) from None
    except provider.BadCallback as why:
        verdict = limits.bad_callback(addresses.client_ip(request))
        if not verdict.allowed:
            raise Problem(429, "too_many_requests", "", verdict.retry_after) from None
        code = "stale" if isinstance(why, provider.Stale) else "bad_signature"
        raise Problem(403, code, str(why)) from None


def _body(request: HttpRequest) -> bytes:
    # The length is a number by now: the middleware refuses every other.
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST:
        raise Problem(413, "too_large")
    return request.body
