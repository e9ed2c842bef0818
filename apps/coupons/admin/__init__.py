"""Registers the admin pages of vouchers, sales, orders and payments; each subject has its module."""

from apps.coupons.admin import dead_letters, orders, payments, reconciliations, sale_admin, vouchers

__all__ = ["dead_letters", "orders", "payments", "reconciliations", "sale_admin", "vouchers"]
