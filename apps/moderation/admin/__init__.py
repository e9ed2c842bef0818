"""Admin pages of moderation: the queue of reports, and the decisions."""

from apps.moderation.admin import cases, decided

__all__ = ["cases", "decided"]
