"""Redeems orders in the shop: an entered code becomes its order, which is used once."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.adminkit import history
from apps.coupons import limits
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.orders.recording import REDEEM_CODE_PATTERN
from apps.web.problems import Problem


def extract_code(text: str) -> str:
    """The code in what a hand or a till's scanner entered: the scanner types the whole link."""
    return text.strip().rpartition("code=")[2]


def find_order(code: str, *, staff_id: int) -> VoucherOrder:
    """The order of a code; Problem 404, or 429 after too many wrong codes of this member of staff."""
    verdict = limits.may_redeem(staff_id)
    if not verdict.allowed:
        sentence = _("Too many wrong codes. Wait a few minutes, then try again.")
        raise Problem(429, "too_many_requests", sentence, verdict.retry_after)
    rows = VoucherOrder.objects.select_related("voucher__shop", "user")
    order = rows.filter(redeem_code=code).first() if REDEEM_CODE_PATTERN.fullmatch(code) else None
    if order is None:
        limits.count_wrong_code(staff_id)
        raise Problem(404, "not_found", _("Nobody holds this code. Large and small letters count."))
    return order


def redeem(request: HttpRequest, order: VoucherOrder) -> None:
    """Mark the order as used and note who did it; Problem 409 with the reason when it can't be."""
    try:
        lifecycle.redeem(order)
    except lifecycle.TransitionNotAllowed as error:
        order.refresh_from_db()
        raise Problem(409, "not_possible", refusal_reason(order), order_status=order.status) from error
    history.record_changed(request, order, str(_("redeemed")))


def refusal_reason(order: VoucherOrder) -> str:
    """Why the order can't be redeemed; "" when it can."""
    sentences = {
        Status.UNPAID: _("This order is not paid."),
        Status.PAID: "",
        Status.USED: _("This coupon was used on %(when)s."),
        Status.CANCELLED: _("This order was cancelled on %(when)s."),
        Status.REFUNDED: _("This order was refunded on %(when)s."),
    }
    ended = order.used_at or order.cancelled_at or order.refunded_at
    when = date_format(timezone.localtime(ended), "DATETIME_FORMAT") if ended else "–"
    sentence = sentences[Status(order.status)]
    return sentence % {"when": when} if "%(when)s" in sentence else sentence
