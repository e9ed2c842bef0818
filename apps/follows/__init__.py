"""Follows between people: lists, counts and suggestions."""
