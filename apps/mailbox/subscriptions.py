"""The browsers that show their person's notifications: a subscription of each, which ends with its log-in."""

import base64
import binascii

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from apps.mailbox.models import MAX_ENDPOINT_LENGTH, PushSubscription
from apps.web import public_addresses
from apps.web.problems import Problem

#: Of one log-in: browsers make a new address now and then, and the old one answers 410 some day.
MAX_SUBSCRIPTIONS = 5
#: For the look-up of the push service's name.
LOOK_UP_SECONDS = 2.0
_SECRET_LENGTH = 16


def subscribe(login_id: int, *, endpoint: str, p256dh: str, secret: str) -> None:
    """Keep a browser's subscription under a log-in, whoever had it before. Problem 404, 422."""
    if settings.VAPID_KEY is None:
        raise Problem(404, "not_found")
    if len(endpoint) > MAX_ENDPOINT_LENGTH:
        raise _invalid()
    public_addresses.require_reachable(endpoint, seconds=LOOK_UP_SECONDS)
    _require_keys(p256dh, secret)
    with transaction.atomic():
        PushSubscription.objects.update_or_create(
            endpoint=endpoint, defaults={"login_id": login_id, "p256dh": p256dh, "secret": secret}
        )
        newest = PushSubscription.objects.filter(login=login_id).order_by("-pk")
        kept = list(newest.values_list("pk", flat=True)[:MAX_SUBSCRIPTIONS])
        PushSubscription.objects.filter(login=login_id).exclude(pk__in=kept).delete()


def unsubscribe(login_id: int, *, endpoint: str) -> None:
    """Delete a log-in's subscription of this address; without one nothing happens."""
    PushSubscription.objects.filter(login=login_id, endpoint=endpoint).delete()


def list_endpoints(login_id: int) -> list[str]:
    """The addresses to which a log-in's notifications go."""
    return list(PushSubscription.objects.filter(login=login_id).values_list("endpoint", flat=True))


def _require_keys(p256dh: str, secret: str) -> None:
    """Problem 422 for keys that nothing can be encrypted for."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(p256dh))
        length = len(_decode(secret))
    except (ValueError, binascii.Error):
        raise _invalid() from None
    if length != _SECRET_LENGTH:
        raise _invalid()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _invalid() -> Problem:
    return Problem(422, "invalid", _("This browser's address for notifications can't be used."))
