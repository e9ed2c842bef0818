"""Vouchers and flash sales: claims, orders, payments, redeeming at the counter."""
