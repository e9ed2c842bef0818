"""Vouchers and flash sales as people see them: lists, live state, the sale page, reminders; making
and editing sales.
"""
