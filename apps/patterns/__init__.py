"""Patterns that Savor shows side by side, each with a page: the top floor, which may use every app."""
