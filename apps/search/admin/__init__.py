"""The admin of search; Django imports this package when it looks for admins."""

from apps.search.admin import words

__all__ = ["words"]
