"""Every payment that is due for a look gets one: `due_at` in SQL is the clock of all that comes later."""

from apps.coupons.payments import asking, refunds, settling
from apps.coupons.payments.models import UNDECIDED, Payment, State

#: Payments of each kind that one sweep looks at.
SWEPT = 500


def sweep() -> int:
    """Settle, return and ask for what is due; how many there were. Money that is here comes first."""
    due = list(Payment.objects.due().exclude(state__in=UNDECIDED)[:SWEPT])
    for payment in due:
        if payment.state == State.REFUNDING:
            refunds.start(payment.pk)
        else:
            settling.settle(payment.pk)
    silent = list(Payment.objects.due().undecided()[:SWEPT])
    for payment in silent:
        asking.start(payment)
    return len(due) + len(silent)
