"""Registers the admin pages of vouchers, sales, orders and payments; each subject has its module."""

from apps.coupons.admin import operations, orders, payments, sale_admin, vouchers

__all__ = ["operations", "orders", "payments", "sale_admin", "vouchers"]
