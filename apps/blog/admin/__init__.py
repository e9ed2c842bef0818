"""Admin pages of notes, photos and comments; importing each module registers its page."""

from apps.blog.admin import comments, notes, photos

__all__ = ["comments", "notes", "photos"]
