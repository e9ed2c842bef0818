"""Admin pages of chats: reports, chats that staff opens with a reason, and who opened what."""

from apps.chat.admin import chats, reports

__all__ = ["chats", "reports"]
