"""Reads VAPID_PRIVATE_KEY, by which the site signs what it sends to push services; ValueError says why not.

A key is a number of the curve P-256 as 43 letters of base64url, as other tools write it. Source: RFC 8292.
"""

import base64
import binascii
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

_CURVE, _LENGTH = ec.SECP256R1(), 32


@dataclass(frozen=True)
class Key:
    """Both halves as PEM, and the public one as browsers want it (base64url)."""

    private_pem: bytes
    public_pem: bytes
    public_text: str


def parse(text: str) -> Key:
    """The key of a setting's text."""
    try:
        number = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if len(number) != _LENGTH:
            raise ValueError
        private = ec.derive_private_key(int.from_bytes(number), _CURVE)
    except (ValueError, binascii.Error):
        raise ValueError("it is no key: `manage.py make_vapid_key` makes one") from None
    public = private.public_key()
    return Key(
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        _write(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)),
    )


def make() -> str:
    """The text of a new private key."""
    number = ec.generate_private_key(_CURVE).private_numbers().private_value
    return _write(number.to_bytes(_LENGTH))


def _write(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
