"""Saves vouchers, with what follows: search, the shop's list entry, open orders, the sale's gate, dates."""

from collections.abc import Collection

from django.db import transaction

from apps.accounts.pictures import files
from apps.coupons.catalog import findable_sales, sales, validity, voucher_dates
from apps.coupons.models import Voucher


def save(voucher: Voucher, *, changed: Collection[str] = ()) -> None:
    """Insert a voucher, or update one of which these columns changed.

    Raises client.UNAVAILABLE, and changes nothing, when a flash sale is withdrawn and Redis is away.
    """
    is_new = voucher.pk is None
    with transaction.atomic():
        # How many one person may have is changed with a sale's terms: an earlier reading must not undo that.
        if not is_new and hasattr(voucher, "sale"):
            sales.lock(voucher.pk)
            voucher.refresh_from_db(fields=["per_person"])
        replaced = "" if is_new or "picture" not in changed else files.lock_stored(voucher)
        voucher.save()
        files.delete_after_commit(Voucher, replaced)
        findable_sales.announce_change(voucher)
        if not is_new and "valid_until" in changed:
            validity.extend_open_orders(voucher)
        voucher_dates.schedule_after_commit(voucher)
        if not is_new and "is_offered" in changed:
            sales.apply_offer(voucher)
