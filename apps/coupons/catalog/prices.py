"""What buyers pay for a voucher, beside what it is worth."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


def check(price: int, value: int) -> None:
    """Raise ValidationError for a price of nothing, which no bank takes, or one that saves nothing."""
    if price < 1:
        raise ValidationError({"price": _("Buyers must pay something: banks take no payment of nothing.")})
    if price >= value:
        raise ValidationError({"price": _("Buyers must pay less than the voucher is worth.")})
