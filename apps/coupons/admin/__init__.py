"""The coupons' part of the admin, one file a subject; importing them registers them."""

from apps.coupons.admin import dead_letters, orders, payments, reconciliations, sale_admin, vouchers

__all__ = ["dead_letters", "orders", "payments", "reconciliations", "sale_admin", "vouchers"]
