"""Values of the visitor's cookie: a random part, the second in which it was given, a signature of both.

It imports settings alone: load generators build such values without Django's models.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from functools import lru_cache

from django.conf import settings

#: 128 random bits, the second in hexadecimal, and 128 bits of an HMAC of both; URL-safe Base64.
PATTERN = re.compile(r"([\w-]{22}\.([0-9a-f]{8}))\.([\w-]{22})", re.ASCII)


def build(random_part: str, second: int) -> str:
    """The value with these 22 characters, as given to a browser in this second."""
    signed = f"{random_part}.{second:08x}"
    return f"{signed}.{_sign(signed, settings.SECRET_KEY)}"


# The same few thousand browsers come again.
@lru_cache(10_000)
def is_signed(value: str, key: str) -> bool:
    """Whether a site with this key has set the value."""
    found = PATTERN.fullmatch(value)
    return found is not None and hmac.compare_digest(_sign(found[1], key), found[3])


def _sign(text: str, key: str) -> str:
    mac = hmac.digest(key.encode(), f"apps.uv.visitors.cookie:{text}".encode(), "sha256")
    return urlsafe_b64encode(mac[:16]).decode().rstrip("=")
