"""Every payment that is due for a look gets one: `due_at` in SQL is the clock of all that comes later."""

from apps.coupons.models.payments import UNDECIDED_STATES, Payment, PaymentState
from apps.coupons.payments import refunds, settlement, status_queries

#: Payments of each kind that one sweep looks at.
MAX_BATCH_PAYMENTS = 500


def sweep() -> int:
    """Settle, return and ask for what is due; how many there were. Money that is here comes first."""
    due = list(Payment.objects.due().exclude(state__in=UNDECIDED_STATES)[:MAX_BATCH_PAYMENTS])
    for payment in due:
        if payment.state == PaymentState.REFUNDING:
            refunds.enqueue(payment.pk)
        else:
            settlement.settle(payment.pk)
    silent = list(Payment.objects.due().undecided()[:MAX_BATCH_PAYMENTS])
    for payment in silent:
        status_queries.enqueue(payment)
    return len(due) + len(silent)
