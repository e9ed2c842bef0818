"""Signed callbacks: HMAC-SHA256, as hex, of the timestamp (unix seconds), a dot and the body."""

import hmac
import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from apps.coupons.payments.provider import Forged, Stale

TIMESTAMP_HEADER, SIGNATURE_HEADER = "Payment-Timestamp", "Payment-Signature"
#: A callback that was kept by somebody is good for no longer; clocks differ by less.
MAX_CALLBACK_AGE = timedelta(minutes=5)
_UNIX_SECONDS_PATTERN = re.compile(r"[0-9]{1,12}")


def sign(body: bytes, *, secret: bytes, at: datetime) -> dict[str, str]:
    """The two headers of a callback sent `at` that moment."""
    timestamp = str(int(at.timestamp()))
    return {TIMESTAMP_HEADER: timestamp, SIGNATURE_HEADER: _compute_mac(timestamp, body, secret)}


def verify(headers: Mapping[str, str], body: bytes, *, secret: bytes, at: datetime) -> None:
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
