"""Refusals of claims, purchases and changes of orders: status, code, message, seconds to wait."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.coupons.models import Status
from apps.web.problems import Problem


@dataclass(frozen=True)
class Refusal:
    """One refusal of the API; `wait` in seconds when trying again helps."""

    status: int
    code: str
    sentence: str | Promise
    wait: int | None = None

    def problem(self, **extra: Any) -> Problem:
        """What the API answers and the pages show."""
        return Problem(self.status, self.code, str(self.sentence), self.wait, **extra)


NOT_FOUND = Refusal(404, "not_found", gettext_lazy("This coupon is not on sale."))
NOT_READY = Refusal(503, "not_ready", gettext_lazy("The sale is being prepared. Try again in a second."), 1)
BUSY = Refusal(503, "busy", gettext_lazy("Very many people are here right now. Try again in a second."), 1)
ALREADY_BOUGHT = Refusal(409, "already_bought", gettext_lazy("You already have this coupon."))
BEING_CONFIRMED = Refusal(409, "being_confirmed", gettext_lazy("Your payment is being confirmed."))
NO_PAYMENTS = Refusal(
    503, "no_payments", gettext_lazy("Nobody can pay right now. Try again in a few minutes."), 60
)
SALE_HAS_BEGUN = Refusal(409, "begun", gettext_lazy("The sale has begun already."))
REMINDER_TOO_LATE = Refusal(
    409, "too_late", gettext_lazy("The sale begins in less than five minutes: stay on its page.")
)
NOT_STARTED = Refusal(409, "not_started", gettext_lazy("The sale has not begun yet."))
ENDED = Refusal(409, "ended", gettext_lazy("The sale is over."))
SOLD_OUT = Refusal(409, "sold_out", gettext_lazy("Every unit is taken."))
INVALID_RECEIPT = Refusal(400, "invalid_receipt", gettext_lazy("This is not a receipt of this site."))
NOT_YOUR_RECEIPT = Refusal(
    403,
    "not_your_receipt",
    gettext_lazy("This receipt is somebody else's. Log in as the person who grabbed."),
)
OTHER_VOUCHER = Refusal(409, "other_voucher", gettext_lazy("This receipt is for another coupon."))
RECEIPT_EXPIRED = Refusal(
    410, "receipt_expired", gettext_lazy("This receipt is too old: the sale ended more than a week ago.")
)
ORDER_LOST = Refusal(
    410,
    "order_lost",
    gettext_lazy(
        "Your order was lost with a server. Please grab again. If you paid, your money goes back by itself."
    ),
)
LOST_AND_SOLD_OUT = Refusal(
    410,
    "order_lost",
    gettext_lazy(
        "Your order was lost with a server, and every unit is taken by now. "
        "If you paid, your money goes back by itself."
    ),
)
NO_GIFT = Refusal(404, "not_found", gettext_lazy("There is no such gift."))
GIFT_GONE = Refusal(
    410,
    "gift_gone",
    gettext_lazy("This gift can't be taken any more. Ask who sent you the link for a new one."),
)
OWN_GIFT = Refusal(409, "own_gift", gettext_lazy("This is your own coupon: send the link to somebody else."))
GIVEN = Refusal(
    409,
    "given",
    gettext_lazy(
        "This coupon was given away. If it is not used while it is valid, the money goes back to who paid."
    ),
)
GIVEN_TO_YOU = Refusal(
    409,
    "given",
    gettext_lazy("This coupon was given to you: it can be used, not refunded or given away again."),
)
NOT_TOGETHER = Refusal(
    409, "not_together", gettext_lazy("These orders can't be paid at once. Pay each by itself.")
)
TOO_MANY = "too_many"
STREAK_TOO_SHORT = "streak_too_short"
TOO_OFTEN = gettext_lazy("That was very often. Wait a moment, then try again.")


def already_bought(order_id: int | None, limit: int = 1) -> Problem:
    """409 with the order that the person has, the last of as many as one person may have."""
    if limit == 1:
        return ALREADY_BOUGHT.problem(order_id=str(order_id))
    sentence = ngettext(
        "You have this coupon %d time, which is as many as one person may have.",
        "You have this coupon %d times, which is as many as one person may have.",
        limit,
    )
    return Problem(409, ALREADY_BOUGHT.code, sentence % limit, order_id=str(order_id))


def streak_too_short(days_to_go: int) -> Problem:
    """409 with how many check-ins in a row are missing."""
    return Problem(409, STREAK_TOO_SHORT, explain_streak(days_to_go), days_to_go=days_to_go)


def explain_streak(days_to_go: int) -> str:
    """The sentence of how many check-ins in a row are missing."""
    sentence = ngettext("For regulars: %d day to go.", "For regulars: %d days to go.", days_to_go)
    return sentence % days_to_go


def too_many(left: int) -> Problem:
    """409 with how many more of the coupon the person may have, which is fewer than they want."""
    return Problem(409, TOO_MANY, explain_too_many(left), left=left)


def explain_too_many(left: int) -> str:
    """The sentence of how many more of a coupon a person may have."""
    sentence = ngettext(
        "You can have only %d more of this coupon.", "You can have only %d more of this coupon.", left
    )
    return sentence % left


def not_started(begins_at: str | None) -> Problem:
    """409 with the time at which the sale begins, where it is known."""
    return NOT_STARTED.problem(begins_at=begins_at)


def too_many_requests(retry_after: int) -> Problem:
    """429: the person tried more often than a person can."""
    return Problem(429, "too_many_requests", str(TOO_OFTEN), retry_after)


def bad_request_token() -> Problem:
    """400: the request token is not one."""
    return Problem(400, "invalid", _("An idempotency key is 1 to 64 letters, digits, _ or -."))


def not_possible(status: str, *, to: Status | None = None) -> Problem:
    """409 with the order's state, from which `to` can't be reached."""
    return Problem(409, "not_possible", _not_possible_message(status, to), order_status=status)


def cannot_be_given(status: str) -> Problem:
    """409 with the order's state, which is not paid and unused."""
    sentence = _("Only a coupon that is paid, unused and still valid can be given to somebody.")
    return Problem(409, "not_possible", sentence, order_status=status)


def _not_possible_message(status: str, to: Status | None) -> str:
    if status == Status.UNPAID and to == Status.REFUNDED:
        return _("The order is not paid, so there is nothing to refund.")
    return {
        Status.QUEUED: _("The order is still being recorded. Try again in a second."),
        Status.UNPAID: _("The time to pay is over."),
        Status.PAID: _("The order is paid already."),
        Status.USED: _("The coupon has been used."),
        Status.CANCELLED: _("The order is cancelled."),
        Status.REFUNDED: _("The order is refunded."),
    }[Status(status)]
