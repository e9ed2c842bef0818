"""Odd requests to a whole site."""
