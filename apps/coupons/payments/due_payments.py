"""The sweep over due payments: `due_at` in SQL says when a payment must be looked at again."""

from apps.coupons.models.payments import UNDECIDED_STATES, Payment, PaymentState
from apps.coupons.payments import refunds, settlement, status_queries

#: Payments of each kind that one sweep looks at.
MAX_BATCH_PAYMENTS = 500


def sweep() -> int:
    """Settle, refund or query every due payment and return their number; money that has arrived comes
    first.
    """
    due = list(Payment.objects.due().exclude(state__in=UNDECIDED_STATES)[:MAX_BATCH_PAYMENTS])
    for payment in due:
        if payment.state == PaymentState.REFUNDING:
            refunds.enqueue(payment.pk)
        else:
            settlement.settle(payment.pk)
    silent = list(Payment.objects.due().undecided()[:MAX_BATCH_PAYMENTS])
    # One query answers for all payments of a charge.
    by_charge = {payment.charge_id or payment.reference: payment for payment in silent}
    for payment in by_charge.values():
        status_queries.enqueue(payment)
    return len(due) + len(silent)
