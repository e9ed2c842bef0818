"""Signs deliveries as Standard Webhooks 1.0 says, so that its libraries verify them.

Source: https://www.standardwebhooks.com
"""

import base64
import hashlib
import hmac
import secrets

SECRET_PREFIX, SECRET_BYTES = "whsec_", 32


def new_secret() -> str:
    """A secret that nobody can guess."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def build_headers(secret: str, *, message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """The headers of a delivery: its id, the same in each try, the moment of this try, and the signature."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b"%b.%d.%b" % (message_id.encode(), seconds, body)
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    }
