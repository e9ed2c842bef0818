"""Admin pages of notes, photos, comments and dishes; importing each module registers its page."""

from apps.blog.admin import comments, dishes, notes, photos

__all__ = ["comments", "dishes", "notes", "photos"]
