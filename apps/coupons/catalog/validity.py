"""Until when vouchers are valid: what staff may choose, and what a later date means for open orders."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.coupons.models import Status, Voucher, VoucherOrder

#: Orders that a voucher's later date still reaches.
OPEN_STATUSES = (Status.UNPAID, Status.PAID)


def check(valid_until: datetime | None, *, sale_ends_at: datetime | None) -> None:
    """Raise ValidationError for a date that has passed, or one before the end of the voucher's sale."""
    if valid_until is None:
        return
    if valid_until <= timezone.now():
        raise ValidationError({"valid_until": _("That time has passed.")})
    if sale_ends_at and valid_until < sale_ends_at:
        raise ValidationError({"valid_until": _("A coupon can't expire before its sale ends.")})


def extend_open_orders(voucher: Voucher) -> int:
    """Give a voucher's later date, or none, to orders that are not used yet; returns their number.

    A bought voucher is never valid for less time than was promised.
    """
    orders = VoucherOrder.objects.filter(voucher=voucher, status__in=OPEN_STATUSES, valid_until__isnull=False)
    if voucher.valid_until:
        orders = orders.filter(valid_until__lt=voucher.valid_until)
    return orders.update(valid_until=voucher.valid_until)
