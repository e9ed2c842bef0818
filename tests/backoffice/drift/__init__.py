"""Drift: each kind is injected alone, found by `reconcile` and mended, and nothing else is touched."""
