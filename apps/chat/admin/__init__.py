"""Admin pages of chats: chats that staff opens with a reason, and who opened what."""

from apps.chat.admin import chats

__all__ = ["chats"]
