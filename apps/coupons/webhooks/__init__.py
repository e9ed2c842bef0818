"""Webhooks: programs of a shop hear of its orders."""
