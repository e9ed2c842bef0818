"""The refund call to the provider: one caller at a time, repeated until the provider has answered."""

import logging
from datetime import timedelta

from django.utils import timezone

from apps.coupons.models.payments import PaymentState
from apps.coupons.payments import provider, transitions

#: Pauses between two tries, doubled with each.
FIRST_RETRY_PAUSE, MAX_RETRY_PAUSE = timedelta(seconds=5), timedelta(minutes=15)
log = logging.getLogger(__name__)


def execute(payment_id: int) -> bool:
    """Return the money of a payment in state refunding; True when this call did it.

    A process that dies in between leaves the payment as it is. It is tried again, and the provider, which
    knows the reference, does nothing more.
    """
    payment = transitions.lease_refund(payment_id)
    if payment is None:
        return False
    try:
        provider.return_money(payment)
    except (provider.Unavailable, provider.NotConfigured, provider.Malformed) as error:
        log.warning("payment %s: its refund waits: %s", payment.reference, error)
        transitions.postpone(payment, timezone.now() + _retry_pause(payment.tries))
        return False
    return transitions.move_to(payment, PaymentState.REFUNDED)


def _retry_pause(tries: int) -> timedelta:
    return min(MAX_RETRY_PAUSE, FIRST_RETRY_PAUSE * (1 << min(tries, 10)))
