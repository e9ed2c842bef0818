"""Fetches the notes, photos and comments that a person may see or change; raises Http404 for others."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.blog.models import UNDO_PERIOD, Comment, Dish, Note, Photo
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id


def note(note_id: int, viewer: User | AnonymousUser | None) -> Note:
    """Return a published note, or the viewer's own draft, with shop, author and photos loaded.

    Http404, also for a viewer who is apart from the author by a block.
    """
    found = _fetch_note(note_id)
    if found.status != Note.Status.PUBLISHED and (viewer is None or found.author_id != viewer.pk):
        raise Http404
    if viewer and viewer.pk and blocks.are_apart(viewer.pk, found.author_id):
        raise Http404
    return found


def own_note(note_id: int, user: User) -> Note:
    """Return a draft or published note of this person; Http404."""
    return get_object_or_404(Note.objects.not_deleted().with_cards(), pk=note_id, author=user)


def own_deleted_note(note_id: int, user: User) -> Note:
    """Return a note whose deletion this person, its author, may still undo; Http404."""
    return get_object_or_404(Note.objects.undoable(), pk=note_id, author=user)


def own_photo(photo_id: int, user: User) -> Photo:
    """Return a photo that this person uploaded, attached to a note or not; Http404."""
    return get_object_or_404(Photo, pk=photo_id, owner=user, hidden_from=None)


def visible_photo(name: str) -> Photo:
    """Return the photo with this name; Http404 if there is none, or it or its note is hidden or deleted."""
    rows = Photo.objects.filter(hidden_from=None).exclude(note__status=Note.Status.DELETED)
    return get_object_or_404(rows, name=name)


def dish(shop_id: int, named: str | None) -> Dish | None:
    """Return the dish of this shop that a page's parameter names, None without one; Http404."""
    return get_object_or_404(Dish, pk=parse_row_id(named), shop=shop_id) if named else None


def comment(comment_id: int, *, note_id: int | None = None) -> Comment:
    """Return a comment of a published note, with note and parent loaded; Http404 if it is deleted.

    With `note_id` the comment must belong to that note.
    """
    rows = _comments_of_published_notes().filter(deleted_at=None)
    return get_object_or_404(rows if note_id is None else rows.filter(note=note_id), pk=comment_id)


def thread(comment_id: int) -> Comment:
    """Return a comment of a published note, even a deleted one, since it may have replies; Http404."""
    return get_object_or_404(_comments_of_published_notes(), pk=comment_id)


def deletable_comment(comment_id: int, user: User) -> Comment:
    """Return a comment that this person may delete, even if it is deleted already.

    Raises Http404 if there is none, and Problem 403 if the person may not delete it.
    """
    found = get_object_or_404(_comments_of_published_notes(), pk=comment_id)
    if not may_delete(found, found.note, user):
        raise Problem(403, "forbidden", _("Only its writer and the author of the note may delete a comment."))
    return found


def own_deleted_comment(comment_id: int, user: User) -> Comment:
    """Return a comment that this person deleted and may still restore; Http404."""
    found = get_object_or_404(_comments_of_published_notes(), pk=comment_id)
    if not may_restore(found, user):
        raise Http404
    return found


def can_be_restored(comment: Comment) -> bool:
    """Return whether the comment was deleted less than UNDO_PERIOD ago."""
    return comment.deleted_at is not None and comment.deleted_at > timezone.now() - UNDO_PERIOD


def may_restore(comment: Comment, viewer: User | None) -> bool:
    """Return whether the viewer deleted the comment less than UNDO_PERIOD ago."""
    return viewer is not None and viewer.pk == comment.deleted_by_id and can_be_restored(comment)


def may_delete(comment: Comment, note: Note, viewer: User) -> bool:
    """Return whether the viewer wrote the comment or the note, or is staff who may moderate."""
    is_own = viewer.pk in {comment.author_id, note.author_id}
    # Staff alone is not enough: an advertiser is staff too, to enter the admin.
    return is_own or (viewer.is_staff and viewer.has_perm("blog.change_comment"))


def _comments_of_published_notes() -> QuerySet[Comment]:
    rows = Comment.objects.filter(note__status=Note.Status.PUBLISHED)
    return rows.select_related("note", "parent", "author", "mentions")


def _fetch_note(note_id: int) -> Note:
    rows = Note.objects.not_deleted().select_related("author", "shop", "shop__type")
    return get_object_or_404(rows.prefetch_related("photos"), pk=note_id)
