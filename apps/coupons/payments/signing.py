"""Signed callbacks: HMAC-SHA256, as hex, of the timestamp (unix seconds), a dot and the body."""

import hmac
import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from apps.coupons.payments.provider import Forged, Stale

TIMESTAMP, SIGNATURE = "Payment-Timestamp", "Payment-Signature"
#: A callback that was kept by somebody is good for no longer; clocks differ by less.
OLDEST = timedelta(minutes=5)
_SECONDS = re.compile(r"[0-9]{1,12}")


def sign(body: bytes, *, secret: bytes, at: datetime) -> dict[str, str]:
    """The two headers of a callback sent `at` that moment."""
    timestamp = str(int(at.timestamp()))
    return {TIMESTAMP: timestamp, SIGNATURE: _mac(timestamp, body, secret)}


def check(headers: Mapping[str, str], body: bytes, *, secret: bytes, at: datetime) -> None:
    """Raises Forged unless the holder of the secret signed this body, Stale when that is not of now."""
    timestamp = headers.get(TIMESTAMP, "")
    if not _SECONDS.fullmatch(timestamp):
        raise Forged("no timestamp")
    expected = _mac(timestamp, body, secret)
    # As bytes: compare_digest takes no text beyond ASCII, and a header can carry it.
    if not hmac.compare_digest(expected.encode(), headers.get(SIGNATURE, "").encode()):
        raise Forged("the signature is not the provider's")
    if abs(at.timestamp() - int(timestamp)) > OLDEST.total_seconds():
        raise Stale("the callback was signed more than five minutes ago, or by a clock that is wrong")


def _mac(timestamp: str, body: bytes, secret: bytes) -> str:
    return hmac.new(secret, timestamp.encode() + b"." + body, "sha256").hexdigest()
