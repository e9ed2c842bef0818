"""Proving who you are: log-in codes, the log-in page's responses."""
