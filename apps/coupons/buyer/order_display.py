"""Display states of an order: its status, refined by its last payment."""

from datetime import timedelta
from functools import lru_cache

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from apps.adminkit.qr_codes import render_svg
from apps.coupons.buyer.order_views import OrderView
from apps.coupons.models import Status
from apps.coupons.models.payments import Payment, PaymentState

#: A bank that has told us nothing for so long may be asked again by the buyer.
CONFIRMATION_WAIT = timedelta(minutes=2)
#: When the page's part loads itself again: live streams have statuses; a payment's states go by the clock.
REFRESH_TRIGGERS = {
    "queued": "every 1s, live",
    "unpaid": "every 5s, live, countdown:done delay:1s",
    **dict.fromkeys(("overdue", "paid", "lapsed", "given"), "every 5s, live"),
    **dict.fromkeys(("failed", "expired"), "every 5s, live, countdown:done delay:1s"),
    **dict.fromkeys(("confirming", "too_late", "money_back", "refunding"), "every 1s"),
}
#: How many of the steps ordered, paid, used an order has behind it; one that has ended otherwise shows none.
STEPS_DONE = {Status.QUEUED: 0, Status.UNPAID: 1, Status.PAID: 2, Status.USED: 3}
#: QR codes that a process remembers, of 8 kB each.
MAX_CACHED_CODES = 300
#: What a payment makes of an order: it can be paid anew, its money came too late, or goes back.
_STATE_BY_PAYMENT = {
    (Status.UNPAID, PaymentState.FAILED): "failed",
    (Status.UNPAID, PaymentState.EXPIRED): "expired",
    (Status.CANCELLED, PaymentState.SUCCEEDED): "money_back",
    (Status.CANCELLED, PaymentState.REFUNDING): "money_back",
    (Status.CANCELLED, PaymentState.REFUNDED): "money_returned",
    (Status.REFUNDED, PaymentState.REFUNDING): "refunding",
}


def state_name(found: OrderView) -> str:
    """The display state's name: the status's own unless a payment refines it."""
    if found.is_gift:
        return _gift_state(found)
    payment = found.payment
    if payment and is_being_confirmed(payment):
        if found.status == Status.UNPAID:
            return "confirming"
        if found.status == Status.CANCELLED and payment.state == PaymentState.BEGUN:
            return "too_late"
    if found.is_overdue:
        return "overdue"
    if found.status == Status.PAID and found.has_lapsed:
        return "lapsed"
    both = (found.status, PaymentState(payment.state)) if payment else None
    return _STATE_BY_PAYMENT.get(both, str(found.status)) if both else str(found.status)


def _gift_state(found: OrderView) -> str:
    """Who gave it sees "given" and then what became of the money, who got it the coupon until "gift_over"."""
    is_over = found.status == Status.REFUNDED or (found.status == Status.PAID and found.has_lapsed)
    if found.given_by is not None:
        return "gift_over" if is_over else str(found.status)
    if not is_over:
        return "given"
    return "lapsed" if found.status == Status.PAID else _refund_state(found.payment)


def _refund_state(payment: Payment | None) -> str:
    return "refunding" if payment and payment.is_going_back else str(Status.REFUNDED)


def render_code(request: HttpRequest, redeem_code: str) -> SafeString:
    """The QR code of the address where the shop redeems an order; others read there what it is for."""
    return _draw_address(request.build_absolute_uri(reverse("coupons:counter", query={"code": redeem_code})))


# An order's page asks again every few seconds, and drawing takes milliseconds.
@lru_cache(MAX_CACHED_CODES)
def _draw_address(address: str) -> SafeString:
    return render_svg(address)


def is_being_confirmed(payment: Payment) -> bool:
    """Whether a payment is reported or has arrived while the order is still unpaid."""
    if payment.state == PaymentState.SUCCEEDED:
        # Settled too: the order was read a moment before, and is paid when it is read again.
        return True
    came = payment.returned_at
    return (
        payment.state == PaymentState.BEGUN and came is not None and timezone.now() - came < CONFIRMATION_WAIT
    )
