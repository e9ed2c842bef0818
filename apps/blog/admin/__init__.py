"""The notes' part of the admin, one file a subject; importing them registers them."""

from apps.blog.admin import comments, notes, photos

__all__ = ["comments", "notes", "photos"]
