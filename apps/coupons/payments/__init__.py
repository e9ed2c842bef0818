"""Payments: checkout, the provider and its callbacks, settlement with the order, refunds."""
