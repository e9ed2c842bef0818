"""Vouchers out of files."""

#: Their name in apps.imports.kinds.
VOUCHERS = "vouchers"
