"""What happens to notes, comments, likes and photos when an account is deleted."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import BATCH_SIZE, Erasure, clear_batch, export_rows
from apps.accounts.models import User
from apps.blog import comments, likes
from apps.blog.models import Comment, Like, Note, Photo
from apps.blog.writing import notes, photos
from apps.shops.models import SCORES

DELETED, PUBLISHED = Note.Status.DELETED, Note.Status.PUBLISHED


def hide(user_id: int, at: datetime) -> int:
    """Delete a batch of notes and comments as their author does, at a time that tells them from others."""
    chosen = Note.objects.published().filter(author=user_id)[:BATCH_SIZE]
    for note in chosen:
        notes.delete(note, at=at)
    mine = Comment.objects.visible().filter(author=user_id, note__status=PUBLISHED)
    written = mine.exclude(note__author=user_id).select_related("note", "parent")[:BATCH_SIZE]
    for comment in written:
        comments.delete(comment, by=User(pk=user_id), at=at)
    return len(chosen) + len(written)


def restore(user_id: int, at: datetime) -> int:
    """Bring back a batch of what `hide` took away."""
    chosen = Note.objects.filter(author=user_id, status=DELETED, deleted_at=at)[:BATCH_SIZE]
    for note in chosen:
        notes.restore(note)
    hidden = Comment.objects.filter(author=user_id, deleted_at=at, note__status=PUBLISHED)
    written = hidden.select_related("note", "parent")[:BATCH_SIZE]
    for comment in written:
        comments.restore(comment)
    return len(chosen) + len(written)


def purge(user_id: int) -> int:
    """Remove a batch of notes, comments, likes and photos for good."""
    return _purge_notes(user_id) + _purge_comments(user_id) + _purge_likes(user_id) + _purge_photos(user_id)


def _purge_notes(user_id: int) -> int:
    chosen = Note.objects.filter(author=user_id).order_by("pk")[:BATCH_SIZE]
    for note in chosen:
        notes.erase(note)
    return len(chosen)


def _purge_comments(user_id: int) -> int:
    """Erase comments; those under replies keep a row without text, which needs no second visit."""
    chosen = _unerased_comments(user_id).order_by("-pk")[:BATCH_SIZE]
    for comment in chosen:
        comments.erase(comment)
    named = Comment.objects.filter(mentions=user_id)
    deleted = Comment.objects.filter(deleted_by=user_id)
    return len(chosen) + clear_batch(named, "mentions") + clear_batch(deleted, "deleted_by")


def _unerased_comments(user_id: int) -> QuerySet[Comment]:
    replies = Comment.objects.filter(parent=OuterRef("pk"))
    return Comment.objects.filter(~Exists(replies) | ~Q(text="") | Q(deleted_at=None), author=user_id)


def _purge_likes(user_id: int) -> int:
    note_ids = list(Like.objects.filter(user=user_id).values_list("note_id", flat=True)[:BATCH_SIZE])
    for note_id in note_ids:
        _purge_like(note_id, user_id)
    return len(note_ids)


def _purge_like(note_id: int, user_id: int) -> None:
    try:
        likes.unlike(note_id, user_id)
    except Http404:
        with transaction.atomic():
            likes.erase_of_hidden(note_id, user_id)


def _purge_photos(user_id: int) -> int:
    with transaction.atomic():
        chosen = list(Photo.objects.filter(owner=user_id, note=None).order_by("pk")[:BATCH_SIZE])
        photos.delete_with_files(chosen)
    return len(chosen)


def export(user_id: int) -> dict[str, Any]:
    """Notes with drafts and the dishes they name, comments, likes and the names of photos' files."""
    written = ("id", "shop_id", "title", "text", "rating", *SCORES, "status", "created_at", "published_at")
    named = Note.dishes.through._default_manager.filter(note__author=user_id)
    comments = Comment.objects.filter(author=user_id).exclude(text="")
    return {
        "notes": export_rows(Note.objects.filter(author=user_id), *written),
        "dishes": export_rows(named, "note_id", "dish__name"),
        "comments": export_rows(comments, "id", "note_id", "text", "created_at", "deleted_at"),
        "likes": export_rows(Like.objects.filter(user=user_id), "note_id", "created_at"),
        "photos": export_rows(Photo.objects.filter(owner=user_id), "name", "note_id", "created_at"),
    }


_THREAD = _("Where others answered a comment of yours: that there was one, without its text and without you.")
ERASURE = Erasure(
    purge=purge,
    goes=(
        _("Your notes with their photos, and what others wrote under them."),
        _("The text of your comments, and your likes."),
    ),
    hide=hide,
    restore=restore,
    kept={f"{Comment._meta.label}.author": _THREAD},
    export=export,
)
