"""Redeems orders in the shop: an entered code becomes its order, which is used once."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.adminkit import history
from apps.coupons import limits
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.orders import lifecycle, redeem_codes
from apps.web.problems import Problem


def find_order(entered: str, *, staff_id: int) -> VoucherOrder:
    """The order of a code, however it was typed or scanned; Problem 404, or 429 after too many wrong ones."""
    verdict = limits.may_redeem(staff_id)
    if not verdict.allowed:
        sentence = _("Too many wrong codes. Wait a few minutes, then try again.")
        raise Problem(429, "too_many_requests", sentence, verdict.retry_after)
    rows = VoucherOrder.objects.select_related("voucher__shop", "user")
    order = rows.filter(redeem_code__in=redeem_codes.parse(entered)).first()
    if order is None:
        limits.count_wrong_code(staff_id)
        raise Problem(404, "not_found", _("Nobody holds this code. Look whether a character is missing."))
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
        Status.PAID: _("This coupon was valid until %(when)s.") if order.has_lapsed else "",
        Status.USED: _("This coupon was used on %(when)s."),
        Status.CANCELLED: _("This order was cancelled on %(when)s."),
        Status.REFUNDED: _("This order was refunded on %(when)s."),
    }
    ended = order.used_at or order.cancelled_at or order.refunded_at or order.valid_until
    when = date_format(timezone.localtime(ended), "DATETIME_FORMAT") if ended else "–"
    sentence = sentences[Status(order.status)]
    return sentence % {"when": when} if "%(when)s" in sentence else sentence
