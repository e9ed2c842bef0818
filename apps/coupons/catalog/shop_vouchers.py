"""The vouchers of a shop's page, by plain SQL: the ORM took a quarter of the page for this query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from apps.coupons.models import FlashSale, Voucher
from apps.web.in_language import columns

#: The fields that a card shows, in the models' order; reading another field of such a row costs a query.
VOUCHER_FIELDS = ("id", "shop_id", *columns("title", "subtitle"), "price", "value", "currency")
SALE_FIELDS = ("voucher_id", "stock_total", "stock_left", "begins_at", "ends_at", "epoch", "revision")
DATETIME_FIELDS = ("begins_at", "ends_at")
_COLUMNS = ", ".join(
    [*(f"voucher.{name}" for name in VOUCHER_FIELDS), *(f"sale.{name}" for name in SALE_FIELDS)]
)
_OFFERED_SQL = (
    f"SELECT {_COLUMNS} FROM {Voucher._meta.db_table} voucher "  # noqa: S608 - only names of models
    f"LEFT JOIN {FlashSale._meta.db_table} sale ON sale.voucher_id = voucher.id "
    "WHERE voucher.shop_id = %s AND voucher.is_offered AND (sale.voucher_id IS NULL OR sale.ends_at > %s) "
    "ORDER BY voucher.price, voucher.id LIMIT %s"
)


def fetch_offered(shop_id: int, limit: int) -> list[Voucher]:
    """Vouchers of a listed shop with sales that are not over, the cheapest first: one query."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_OFFERED_SQL, [shop_id, now, limit])
        return [_build_voucher(row) for row in cursor.fetchall()]


def _build_voucher(row: Sequence[Any]) -> Voucher:
    voucher_width = len(VOUCHER_FIELDS)
    voucher = Voucher.from_db(connection.alias, VOUCHER_FIELDS, row[:voucher_width])
    # Where select_related would have put it.
    sale = _build_sale(row[voucher_width:], voucher) if row[voucher_width] else None
    voucher._state.fields_cache["sale"] = sale
    return voucher


def _build_sale(row: Sequence[Any], voucher: Voucher) -> FlashSale:
    named = zip(SALE_FIELDS, row, strict=True)
    values = [_with_zone(value) if name in DATETIME_FIELDS else value for name, value in named]
    sale = FlashSale.from_db(connection.alias, SALE_FIELDS, values)
    sale._state.fields_cache["voucher"] = voucher
    return sale


def _with_zone(value: datetime) -> datetime:
    """SQLite keeps no zone."""
    return value if timezone.is_aware(value) else timezone.make_aware(value, connection.timezone)
