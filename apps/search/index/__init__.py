"""The inverted index in Redis: writing, generations, rebuild, reconciliation, and how it follows SQL."""
