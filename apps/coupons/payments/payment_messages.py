"""Sentences for a buyer about the money of an order that was cancelled."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from apps.coupons.models.payments import Payment, PaymentState
from apps.shops import money

#: Its money is here, or on its way back.
_GOING_BACK_STATES = (PaymentState.SUCCEEDED, PaymentState.REFUNDING)


def explain_cancellation(order_id: int) -> str:
    """Why the order is cancelled, and where its money is."""
    payments = list(Payment.objects.filter(order_id=order_id))
    if price := _format_total(payments, _GOING_BACK_STATES):
        text = _(
            "We could not complete this order, so it was cancelled. %(price)s are on their way back to you."
        )
    elif _format_total(payments, [PaymentState.BEGUN]):
        text = _(
            "We could not complete this order, so it was cancelled."
            " If the bank took your money, it goes back by itself as soon as the bank tells us."
        )
    elif price := _format_total(payments, [PaymentState.REFUNDED]):
        text = _("We could not complete this order, so it was cancelled. You got %(price)s back.")
    else:
        text = _("We could not complete this order, so it was cancelled. Nothing was charged.")
    return text % {"price": price}


def _format_total(payments: list[Payment], states: Collection[str]) -> str:
    """The sum of these payments as text; empty when there are none."""
    found = [payment for payment in payments if payment.state in states]
    return money.format_amount(sum(one.amount for one in found), found[0].currency) if found else ""
