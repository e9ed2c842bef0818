"""Logging in with a code, the log-in page's responses, and another phone for an account."""
