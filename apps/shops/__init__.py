"""Shops: lists, the map, a shop's page, and which shops are near."""
