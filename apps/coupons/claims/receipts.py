"""Receipts: what an accepted claim was promised, signed, in the buyer's keeping; and signatures of claims.

SQL learns of an accepted claim some ten milliseconds later, or much later when no consumer is there. If Redis
loses everything meanwhile, the receipts remember it: the process that accepted the claims keeps the texts of
the last ones, and the buyer has the signed one. Handed in, it brings the order back (orders.lost_sales).
Signatures are HMAC-SHA256, as hex, under a key derived from SECRET_KEY; what a key of SECRET_KEY_FALLBACKS
signed is still genuine.
"""

import hmac
import re
from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from django.conf import settings
from django.utils import timezone

from apps.redis_kit import ids

#: 128 bits are beyond guessing, and half as long to send and to store.
SIGNATURE_LENGTH = 32
#: Version, order, person, voucher, epoch of the sale, request token, signature.
_PATTERN = re.compile(
    r"(1\.([0-9]{1,19})\.([0-9]{1,19})\.([0-9]{1,19})\.([0-9]{1,10})\.([A-Za-z0-9_-]{1,64}))\.([0-9a-f]{32})"
)
_Purpose = Literal["receipt", "claim"]
#: Of SHA-256, to which HMAC pads its key.
BLOCK_BYTES = 64

#: 200 bytes each; the newest stay.
MAX_CLAIMS = 50_000
#: Older ones are rows, or nobody records orders and the receipts that buyers keep are what is left.
MAX_AGE = timedelta(hours=1)
_texts: deque[str] = deque(maxlen=MAX_CLAIMS)
#: Keep the claim of a receipt's text.
keep_claim = _texts.append
#: Keep the claims of several.
keep_claims = _texts.extend
#: Keep nothing of what was accepted so far.
forget_claims = _texts.clear


#: What a receipt signs, of the fields of a Receipt in their order.
CONTENT = "1.%d.%d.%d.%d.%s"
#: The answer to an accepted claim: its order's id and its receipt's text, in which nothing needs escaping.
JSON = '{"order_id": "%d", "receipt": "%s"}'


class InvalidReceipt(ValueError):
    """A text that is no receipt of this site: malformed, cut off, or signed by another person."""


class Receipt(NamedTuple):
    """An accepted claim; `epoch` is the load of the sale that decided it, or a later one."""

    order_id: int
    user_id: int
    voucher_id: int
    epoch: int
    request_token: str

    @property
    def accepted_at(self) -> datetime:
        """The second of the claim: the order's id carries it."""
        return ids.created_at(self.order_id)

    @property
    def content(self) -> str:
        """What a receipt signs."""
        return CONTENT % self

    @property
    def text(self) -> str:
        """The receipt as the buyer gets it: at most 180 letters, digits, dots, _ and -."""
        return sign_contents([self.content])[0]

    @property
    def json(self) -> str:
        """The answer to the accepted claim."""
        return JSON % (self.order_id, self.text)


def parse_receipt(text: str) -> Receipt:
    """The receipt of a content or a text of this process itself; a signature isn't read."""
    _, order_id, user_id, voucher_id, epoch, request_token = text.split(".")[:6]
    return Receipt(int(order_id), int(user_id), int(voucher_id), int(epoch), request_token)


def read_receipt(text: str) -> Receipt:
    """What a genuine receipt says; raises InvalidReceipt for any other text."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise InvalidReceipt("not the shape of a receipt")
    signed, order_id, user_id, voucher_id, epoch, request_token, signature = match.groups()
    if not _is_genuine("receipt", signed, signature):
        raise InvalidReceipt("not signed by this site")
    return Receipt(int(order_id), int(user_id), int(voucher_id), int(epoch), request_token)


def sign_claims(voucher_id: int, claims: Iterable[tuple[int, str]]) -> list[str]:
    """The signatures that claims on a sale bring along, given as (user id, request token): their entries in
    the stream show them to the consumer.
    """
    texts = [f"{voucher_id}.{user_id}.{request_token}" for user_id, request_token in claims]
    return _sign_each("claim", texts, settings.SECRET_KEY)


def sign_contents(contents: Iterable[str]) -> list[str]:
    """The receipts, as their buyers get them, of these contents."""
    contents = list(contents)
    signatures = _sign_each("receipt", contents, settings.SECRET_KEY)
    return [f"{content}.{signature}" for content, signature in zip(contents, signatures, strict=True)]


def is_signed_claim(voucher_id: int, user_id: int, request_token: str, signature: str) -> bool:
    """Whether a web process of this site made that claim."""
    return _is_genuine("claim", f"{voucher_id}.{user_id}.{request_token}", signature)


def _sign_each(purpose: _Purpose, texts: Iterable[str], secret: str) -> list[str]:
    """HMAC-SHA256 (RFC 2104); Python's own takes twice as long, and the claim is the site's fastest path."""
    inner, outer = _padded_keys(purpose, secret)
    signatures = []
    for text in texts:
        message, mac = inner.copy(), outer.copy()
        message.update(text.encode())
        mac.update(message.digest())
        signatures.append(mac.hexdigest()[:SIGNATURE_LENGTH])
    return signatures


def _is_genuine(purpose: _Purpose, text: str, signature: str) -> bool:
    """Whether this site has signed the ASCII text for that purpose, with its key or one that it replaced."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    # As bytes: compare_digest takes no text beyond ASCII.
    given = signature.encode()
    signed = [_sign_each(purpose, [text], secret)[0].encode() for secret in secrets]
    return any(hmac.compare_digest(each, given) for each in signed)


@lru_cache(maxsize=32)
def _padded_keys(purpose: _Purpose, secret: str) -> tuple[Any, Any]:
    """The inner and the outer hash, which have read the purpose's key."""
    key = derive_key(purpose, secret).ljust(BLOCK_BYTES, b"\0")
    inner, outer = (sha256(bytes(byte ^ pad for byte in key)) for pad in (0x36, 0x5C))
    return inner, outer


def derive_key(purpose: _Purpose, secret: str) -> bytes:
    """The key of one purpose, from a SECRET_KEY."""
    return hmac.digest(secret.encode(), b"apps.coupons.claims." + purpose.encode(), "sha256")


def list_kept_claims() -> list[Receipt]:
    """The kept claims, each once, in the order in which they were accepted."""
    since = timezone.now() - MAX_AGE
    claims = {claim.order_id: claim for claim in map(parse_receipt, _texts.copy())}
    return [claim for claim in claims.values() if claim.accepted_at > since]
