"""What an order's page shows: the order's status, and what its last payment makes of it."""

from datetime import timedelta

from django.utils import timezone

from apps.coupons.models import Status
from apps.coupons.payments.models import Payment, State
from apps.coupons.standing import Standing

#: A bank that has told us nothing for so long may be asked again by the buyer.
CONFIRMED_WITHIN = timedelta(minutes=2)
#: When a face asks for the next one. The live stream knows statuses; faces of a payment go by the clock.
ASKS = {
    "queued": "every 1s, live",
    "unpaid": "every 5s, live, countdown:done delay:1s",
    "overdue": "every 5s, live",
    **dict.fromkeys(("failed", "expired"), "every 5s, live, countdown:done delay:1s"),
    **dict.fromkeys(("confirming", "too_late", "money_back", "refunding"), "every 1s"),
}
#: What a payment makes of an order: it can be paid anew, its money came too late, or goes back.
_BY_PAYMENT = {
    (Status.UNPAID, State.FAILED): "failed",
    (Status.UNPAID, State.EXPIRED): "expired",
    (Status.CANCELLED, State.SUCCEEDED): "money_back",
    (Status.CANCELLED, State.REFUNDING): "money_back",
    (Status.CANCELLED, State.REFUNDED): "money_returned",
    (Status.REFUNDED, State.REFUNDING): "refunding",
}


def of(found: Standing) -> str:
    """The name of the face, which is the status's own where no payment says more."""
    payment = found.payment
    if payment and is_under_way(payment):
        if found.status == Status.UNPAID:
            return "confirming"
        if found.status == Status.CANCELLED and payment.state == State.BEGUN:
            return "too_late"
    if found.is_overdue:
        return "overdue"
    both = (found.status, State(payment.state)) if payment else None
    return _BY_PAYMENT.get(both, str(found.status)) if both else str(found.status)


def is_under_way(payment: Payment) -> bool:
    """The buyer says that they paid, or the money is here, and the order hasn't heard of it."""
    if payment.state == State.SUCCEEDED:
        return payment.settled_at is None
    came = payment.returned_at
    return payment.state == State.BEGUN and came is not None and timezone.now() - came < CONFIRMED_WITHIN
