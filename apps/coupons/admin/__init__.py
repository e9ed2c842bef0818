"""The coupons' part of the admin, one file a subject; importing them registers them."""

from apps.coupons.admin import letters, orders, payments, reconciliations, sale_admin, vouchers

__all__ = ["letters", "orders", "payments", "reconciliations", "sale_admin", "vouchers"]
