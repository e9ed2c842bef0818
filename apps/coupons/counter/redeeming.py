"""Redeems orders in the shop: an entered code becomes its order, which is used once.

The admin, the counter's page and the API all come here: a person needs the permission, and works at the shop.
"""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.accounts import auth
from apps.accounts.models import User
from apps.adminkit import history
from apps.coupons import limits, refusals
from apps.coupons.claims import recovery
from apps.coupons.models import Redemption, Status, VoucherOrder
from apps.coupons.orders import lifecycle, redeem_codes
from apps.shops.members import own_shops
from apps.web import rate_limits, short_dates
from apps.web.days import start_of_day
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID

PERMISSION = "coupons.redeem_order"
#: Digits from which a number is an order's and no code.
MIN_ORDER_ID_DIGITS = 15

MAX_LISTED_REDEMPTIONS = 20


def may_redeem(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether a person may redeem coupons of any shop."""
    return isinstance(user, User) and user.has_perm(PERMISSION)


def find_order(entered: str, cashier: User) -> VoucherOrder:
    """The order of a code, however it was typed or scanned, of a shop that the cashier works at.

    PermissionDenied; Problem 404, 403 other_shop, 410 order_lost, or 429 after too many wrong codes.
    """
    if not may_redeem(cashier):
        raise PermissionDenied
    sentence = _("Too many wrong codes. Wait a few minutes, then try again.")
    rate_limits.require(limits.may_redeem(cashier.pk), sentence)
    rows = VoucherOrder.objects.select_related("voucher__shop", "user", "holder")
    order = rows.filter(redeem_code__in=redeem_codes.parse(entered)).first()
    if order is None:
        limits.count_wrong_code(cashier.pk)
        raise _explain_unknown(entered)
    if not _works_at(cashier, order):
        limits.count_wrong_code(cashier.pk)
        sentence = _("This coupon is for another shop: %(shop)s.")
        raise Problem(403, "other_shop", sentence % {"shop": order.voucher.shop.name})
    return order


def redeem(request: HttpRequest, order: VoucherOrder, *, token: str = "") -> None:
    """Mark the order as used and note who did it; the same cashier's same token again changes nothing.

    Problem 409 with the reason when it can't be used, 404 when it was given away and its code is another.
    """
    cashier = auth.require_user(request)
    try:
        with transaction.atomic():
            lifecycle.redeem(order)
            Redemption.objects.create(order=order, cashier=cashier, token=token)
            history.record_changed(request, order, str(_("redeemed")))
    except lifecycle.TransitionNotAllowed as error:
        if token and Redemption.objects.filter(order=order, cashier=cashier, token=token).exists():
            return
        entered = order.redeem_code
        order.refresh_from_db()
        if order.redeem_code != entered:
            raise _explain_unknown(entered) from error
        raise Problem(409, "not_possible", refusal_reason(order), order_status=order.status) from error


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
    local = timezone.localtime(ended) if ended else None
    if order.status == Status.USED and local and local.date() == timezone.localdate():
        return _("This coupon was used today at %(time)s.") % {"time": date_format(local, "TIME_FORMAT")}
    sentence = sentences[Status(order.status)]
    if order.status == Status.PAID and order.valid_until:
        when = short_dates.last_moment(order.valid_until)
    else:
        when = date_format(local, "DATETIME_FORMAT") if local else "–"
    return sentence % {"when": when} if "%(when)s" in sentence else sentence


def _works_at(cashier: User, order: VoucherOrder) -> bool:
    return own_shops.sees_all(cashier) or own_shops.works_at(cashier, order.voucher.shop_id)


def _explain_unknown(entered: str) -> Problem:
    """404 with what it is instead of a code, where that is known; 410 for the order that a server lost."""
    typed = "".join(entered.split())
    if typed.isascii() and typed.isdigit() and len(typed) >= MIN_ORDER_ID_DIGITS:
        number = min(int(typed), MAX_ROW_ID)
        if VoucherOrder.objects.filter(pk=number).exists():
            sentence = _("This is the number of an order. Its code is on the guest's page of the order.")
            return Problem(404, "not_found", sentence)
        if recovery.may_have_lost(number):
            sentence = _(
                "This order was lost with a server and can't be used. The guest gets the money back."
            )
            return Problem(410, refusals.ORDER_LOST.code, sentence)
    return Problem(404, "not_found", _("Nobody holds this code. Look whether a character is missing."))


def list_today(cashier: User) -> list[Redemption]:
    """The cashier's last redemptions of today, the newest first; one query."""
    rows = Redemption.objects.filter(cashier=cashier, created_at__gte=start_of_day())
    return list(
        rows.select_related("order__voucher__shop", "order__user", "order__holder").order_by("-created_at")[
            :MAX_LISTED_REDEMPTIONS
        ]
    )


def find_own_redemption(order_id: int, cashier: User) -> Redemption | None:
    """The redemption of an order by this cashier; None when it was another's or none."""
    rows = Redemption.objects.filter(pk=order_id, cashier=cashier)
    return rows.select_related("order__voucher__shop", "order__user", "order__holder").first()


def list_shop_names(cashier: User) -> list[str]:
    """The shops whose coupons the cashier redeems; empty for staff who redeem every shop's."""
    if own_shops.sees_all(cashier):
        return []
    return [member.shop.name for member in own_shops.list_memberships(cashier.pk)]
