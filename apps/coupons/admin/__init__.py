"""The admin of vouchers, sales, orders and payments, one module a subject; importing a module registers
it.
"""

from apps.coupons.admin import dead_letters, orders, payments, reconciliations, sale_admin, vouchers

__all__ = ["dead_letters", "orders", "payments", "reconciliations", "sale_admin", "vouchers"]
