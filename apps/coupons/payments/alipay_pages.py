"""Payments by Alipay's own pages (alipay.trade.page.pay), on python-alipay-sdk.

The address of a payment's page is signed here, without a call. Alipay counts in yuan with two decimals and
takes CNY alone. It knows a payment and its refund by our reference, so a repeated call does nothing more.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin
from zoneinfo import ZoneInfo

from alipay import AliPay
from alipay.exceptions import AliPayException, AliPayValidationError
from alipay.utils import AliPayConfig
from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from apps.coupons.models.payments import PAYMENT_LIFETIME, AnyCharge, Charge, Payment
from apps.coupons.payments import provider
from apps.coupons.payments.provider import Notice

CURRENCY = "CNY"
#: Seconds that a call may take.
TIMEOUT_SECONDS = 10
#: Alipay's clock, by which its signatures have their time.
ALIPAY_ZONE = ZoneInfo("Asia/Shanghai")
SUCCEEDED_STATES = {"TRADE_SUCCESS", "TRADE_FINISHED"}
CLOSED_STATE = "TRADE_CLOSED"
#: Fields of a callback at most; Alipay sends some thirty.
MAX_FIELDS = 100
_AMOUNT = re.compile(r"([0-9]{1,11})(?:\.([0-9]{1,2}))?")


class AlipayPages:
    """A PaymentProvider for ALIPAY_APP_ID and its two keys."""

    name = "alipay"
    form_action = ("https://*.alipay.com",)

    def __init__(self) -> None:
        if not (
            settings.ALIPAY_APP_ID and settings.ALIPAY_PRIVATE_KEY_FILE and settings.ALIPAY_PUBLIC_KEY_FILE
        ):
            raise provider.NotConfigured(
                "set ALIPAY_APP_ID, ALIPAY_PRIVATE_KEY_FILE and ALIPAY_PUBLIC_KEY_FILE"
            )
        try:
            self._calls = AliPay(
                appid=settings.ALIPAY_APP_ID,
                app_private_key_string=Path(settings.ALIPAY_PRIVATE_KEY_FILE).read_text(encoding="ascii"),
                alipay_public_key_string=Path(settings.ALIPAY_PUBLIC_KEY_FILE).read_text(encoding="ascii"),
                config=AliPayConfig(timeout=TIMEOUT_SECONDS),
            )
        except (OSError, ValueError, IndexError, TypeError) as error:
            raise provider.NotConfigured(f"a key of Alipay can't be read: {type(error).__name__}") from error
        self._calls._gateway = settings.ALIPAY_GATEWAY

    def begin(self, charge: AnyCharge, return_url: str) -> str:
        """The signed URL of Alipay's page for this charge."""
        if charge.currency != CURRENCY:
            raise provider.NotConfigured(f"Alipay takes {CURRENCY} alone, and this is {charge.currency}")
        content = {
            "out_trade_no": charge.reference,
            "total_amount": _to_yuan(charge.amount),
            "subject": charge.subject,
            "product_code": "FAST_INSTANT_TRADE_PAY",
            "timeout_express": f"{PAYMENT_LIFETIME.total_seconds() / 60:.0f}m",
        }
        callback = urljoin(settings.SITE_URL, reverse("api:payment_callback", args=[self.name]))
        signed = self._calls.client_api(
            "alipay.trade.page.pay",
            content,
            return_url=return_url,
            notify_url=callback,
            timestamp=_timestamp(),
        )
        return f"{settings.ALIPAY_GATEWAY}?{signed}"

    def refund(self, payment: Payment) -> None:
        """Return the whole amount, once."""
        self._refund(payment, payment.amount, payment.reference)

    def refund_part(self, charge: Charge, amount: int, key: str) -> None:
        """Return a part of a charge, once a key."""
        self._refund(charge, amount, key)

    def _refund(self, charge: AnyCharge, amount: int, key: str) -> None:
        answer = self._call(
            "alipay.trade.refund",
            {
                "out_trade_no": charge.reference,
                "refund_amount": _to_yuan(amount),
                "out_request_no": key,
            },
        )
        _require_success(answer)

    def query(self, reference: str) -> Notice | None:
        """The outcome of a payment; None also when no buyer has opened its page."""
        answer = self._call("alipay.trade.query", {"out_trade_no": reference})
        if answer.get("sub_code") == "ACQ.TRADE_NOT_EXIST":
            return None
        _require_success(answer)
        return _read_trade(answer)

    def verify(self, _headers: Mapping[str, str], body: bytes) -> Notice | None:
        """The notice in a signed form. An old one again changes nothing, so its age doesn't matter."""
        fields = _read_form(body)
        signature = fields.pop("sign", "")
        try:
            is_signed = self._calls.verify(dict(fields), signature)
        except (AliPayException, ValueError, TypeError) as error:
            raise provider.Forged("the signature can't be read") from error
        if not is_signed or fields.get("app_id") != settings.ALIPAY_APP_ID:
            raise provider.Forged("the signature is not Alipay's for this app")
        return _read_trade(fields)

    def acknowledge(self, _state: str) -> HttpResponse:
        """The one word with which Alipay ends its repetitions."""
        return HttpResponse("success", content_type="text/plain")

    def _call(self, method: str, content: dict[str, str]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._calls.server_api(method, content, timestamp=_timestamp())
        except AliPayValidationError as error:
            raise provider.Malformed("the answer is not signed by Alipay") from error
        except OSError as error:
            raise provider.Unavailable(f"{type(error).__name__}: {error}") from error
        except (AliPayException, ValueError, TypeError, KeyError, AttributeError) as error:
            raise provider.Malformed(f"Alipay's answer can't be read: {type(error).__name__}") from error
        if not isinstance(answer, dict):
            raise provider.Malformed("Alipay's answer is no object")
        return answer


def _require_success(answer: dict[str, Any]) -> None:
    if answer.get("code") != "10000":
        raise provider.Unavailable(f"Alipay answers {answer.get('code')}: {answer.get('sub_code')}"[:200])


def _timestamp() -> str:
    return datetime.strftime(timezone.now().astimezone(ALIPAY_ZONE), "%Y-%m-%d %H:%M:%S")


def _to_yuan(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02}"


def _read_form(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise provider.Forged("the body is no form") from error


def _read_trade(fields: Mapping[str, Any]) -> Notice | None:
    """The notice in the fields of a callback or of a query's answer; None while the buyer has not paid."""
    state, reference = fields.get("trade_status"), str(fields.get("out_trade_no"))
    if state not in SUCCEEDED_STATES and state != CLOSED_STATE:
        return None
    amount = _AMOUNT.fullmatch(str(fields.get("total_amount")))
    if amount is None or not provider.REFERENCE_PATTERN.fullmatch(reference):
        raise provider.Malformed("the notice has no amount or no number")
    fen = int(amount[1]) * 100 + int((amount[2] or "0").ljust(2, "0"))
    succeeded = state in SUCCEEDED_STATES
    reason = "" if succeeded else provider.CLOSED.fill()
    return Notice(reference=reference, succeeded=succeeded, amount=fen, currency=CURRENCY, reason=reason)
