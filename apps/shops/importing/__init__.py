"""Shops, and the people who work at them, out of files."""

#: Their names in apps.imports.kinds.
SHOPS, MEMBERS = "shops", "shop_members"
