"""One CSRF token an answer: Django masks the secret anew for each template that a page is made of."""

import secrets
from functools import partial
from operator import add

from django.http import HttpRequest
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH, get_token
from django.utils.functional import SimpleLazyObject

_META_KEY = "savor.csrf_token"
_ALPHABET = CSRF_ALLOWED_CHARS.encode()
_ALPHABET_SIZE = len(_ALPHABET)
#: Bytes that would make some characters likelier than others.
_REJECTED_BYTES = bytes(range(256 // _ALPHABET_SIZE * _ALPHABET_SIZE, 256))
#: A number's character, counted around and around, and a character's number.
_TO_CHARACTER = bytes(_ALPHABET[byte % _ALPHABET_SIZE] for byte in range(256))
_TO_INDEX = bytes(max(_ALPHABET.find(byte), 0) for byte in range(256))


def token(request: HttpRequest) -> dict[str, object]:
    """A context processor, after Django's own: the first template that shows the token makes it for all."""
    held = request.META.setdefault(_META_KEY, SimpleLazyObject(partial(_make_token, request)))
    return {"csrf_token": held}


def _make_token(request: HttpRequest) -> str:
    """Django's get_token; for a browser with a secret a mask of one draw of chance instead of 32."""
    secret = request.META.get("CSRF_COOKIE")
    if secret is None:
        return get_token(request)
    request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
    return mask_secret(secret)


def mask_secret(secret: str) -> str:
    """A random mask and the secret shifted by it, as CsrfViewMiddleware takes them off again."""
    mask = b""
    while len(mask) < CSRF_SECRET_LENGTH:
        mask = secrets.token_bytes(2 * CSRF_SECRET_LENGTH).translate(_TO_CHARACTER, _REJECTED_BYTES)[
            :CSRF_SECRET_LENGTH
        ]
    cipher = bytes(map(add, secret.encode().translate(_TO_INDEX), mask.translate(_TO_INDEX)))
    return (mask + cipher.translate(_TO_CHARACTER)).decode()
