"""Expiry: what was paid and not used by its voucher's last moment is refunded by itself, once.

SQL has the dates. A delayed job at a voucher's date makes the refund prompt, and the scheduled sweep finds
what a lost job left (catalog.voucher_dates). Of a redemption and an expiry of one order the first wins: both
change the same row.
"""

from django.db import transaction
from django.utils.translation import gettext_noop

from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds
from apps.web.stored_texts import Template

NOT_USED = Template(gettext_noop("not used while it was valid"))


def refund_expired() -> int:
    """Refund every paid and unused order past its date, those of the earliest date first; their number."""
    refunded = 0
    while some := _refund_batch():
        refunded += some
    return refunded


@transaction.atomic
def _refund_batch() -> int:
    orders = lifecycle.expire_batch()
    refunds.request_for_orders([order.pk for order in orders], reason=NOT_USED.fill())
    return len(orders)
