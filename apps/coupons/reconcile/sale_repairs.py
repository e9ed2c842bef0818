"""Repairs of a sale: SQL's counters first, then Redis is loaded again from SQL."""

from django.db import transaction

from apps.coupons.claims import loading
from apps.coupons.models import FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle, returns


def repair(voucher_id: int) -> None:
    """Make one sale's counters agree again; I1 and I2 are left alone, because SQL's constraints forbid
    them.
    """
    with transaction.atomic():
        sale = FlashSale.objects.select_for_update().get(pk=voucher_id)
        _book_missing_returns(sale)
        active = VoucherOrder.objects.filter(voucher_id=voucher_id).active().count()
        if active <= sale.stock_total:
            sale.stock_left = sale.stock_total - active
            sale.save(update_fields=["stock_left"])
    lifecycle.close_overdue(voucher_id=voucher_id)
    loading.load(voucher_id, force=True)


def _book_missing_returns(sale: FlashSale) -> None:
    gave_back = VoucherOrder.objects.filter(voucher_id=sale.pk, status__in=returns.LEDGER_KINDS, ledger=None)
    StockLedger.objects.bulk_create([returns.build_ledger_entry(order) for order in gave_back])
