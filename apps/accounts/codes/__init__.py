"""Codes that prove a phone: sent for a log-in, another phone, a deletion, staff."""
