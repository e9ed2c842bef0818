"""The refund itself: one caller at a time asks the provider, again and again until it has answered."""

import logging
from datetime import timedelta

from django.utils import timezone

from apps.coupons.payments import provider, states
from apps.coupons.payments.models import State

#: Pauses between two tries, doubled with each.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=15)
log = logging.getLogger(__name__)


def send_back(payment_id: int) -> bool:
    """Return the money of a payment that is refunding; whether that was done now.

    Somebody who dies in between leaves the payment as it is: it is tried again, and the provider, who knows
    the reference, does nothing more.
    """
    payment = states.take_turn(payment_id)
    if payment is None:
        return False
    try:
        provider.named(payment.provider).refund(payment)
    except (provider.Unavailable, provider.NotConfigured) as error:
        log.warning("payment %s: its refund waits: %s", payment.reference, error)
        states.put_off(payment, timezone.now() + _pause(payment.tries))
        return False
    return states.move(payment, State.REFUNDED)


def _pause(tries: int) -> timedelta:
    return min(LONGEST_PAUSE, FIRST_PAUSE * (1 << min(tries, 10)))
