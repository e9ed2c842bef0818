"""Adds, deletes, restores and lists comments on notes, and replies one level deep.

A note's comment count changes in the same transaction as its comments.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, Greatest, RowNumber
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import text_fields
from apps.accounts.models import User
from apps.accounts.profiles import notification_counts
from apps.blog import access
from apps.blog.models import Comment, Note
from apps.web import on_commit, paging

#: Comments or replies on a page, and replies that are loaded with their comment.
PAGE_SIZE, MAX_FIRST_REPLIES = 20, 3
ORDER_BY: list[str] = ["created_at", "id"]
CURSOR_TYPES: list[type[paging.SortValue]] = [str, int]


@dataclass(frozen=True)
class CommentView:
    """A comment as a viewer sees it, with its first replies and the number of all; a reply has none."""

    comment: Comment
    may_delete: bool
    replies: list["CommentView"] = field(default_factory=list)
    reply_count: int = 0
    may_restore: bool = False

    @property
    def has_more_replies(self) -> bool:
        """Whether there are more replies than those in `replies`."""
        return self.reply_count > len(self.replies)


@dataclass(frozen=True)
class CommentPage:
    """Comments, the oldest first, and the cursor of the next page; `until` is described at `list_page`."""

    items: list[CommentView]
    next: str | None
    until: int


def add(note_id: int, author: User, text: str, *, reply_to: int | None = None) -> Comment:
    """Add a comment to a published note, or a reply to one of its comments; ValidationError, Http404.

    A reply to a reply is stored under the same top comment, and mentions the author of the reply it answers.
    """
    comment = Comment(author=author, text=text)
    comment.clean_fields(exclude={"note", "author", "parent", "mentions"})
    if not text_fields.has_visible_characters(comment.text):
        raise ValidationError({"text": _("Write a few words.")})
    with transaction.atomic():
        comment.note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        answered = access.comment(reply_to, note_id=note_id) if reply_to else None
        if answered:
            _attach_to_thread(comment, answered)
        comment.save(force_insert=True)
        _change_count(note_id, 1)
        on_commit.run_after_commit(_notify, comment, answered)
    return comment


def delete(comment: Comment, *, by: User | None = None) -> bool:
    """Delete a comment; returns whether it was still visible. Http404 unless its note is published.

    The caller checks permission with access.deletable_comment. Only `by` may restore the
    comment, for UNDO_PERIOD (access.own_deleted_comment).
    """
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        gone = (
            Comment.objects.visible().filter(pk=comment.pk).update(deleted_at=timezone.now(), deleted_by=by)
        )
        if gone:
            _change_count(comment.note_id, -1)
    return bool(gone)


def restore(comment: Comment) -> bool:
    """Restore a deleted comment; returns whether it was deleted. Http404 unless its note is published."""
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        away = Comment.objects.filter(pk=comment.pk, deleted_at__isnull=False)
        back = away.update(deleted_at=None, deleted_by=None)
        if back:
            _change_count(comment.note_id, 1)
    return bool(back)


def list_page(note: Note, cursor: str | None, viewer: User | None, *, until: int = 0) -> CommentPage:
    """Return a page of a note's comments with the first replies of each; BadCursor. Two queries.

    `until` is the newest comment's id when the first page was loaded. Later comments are left out,
    since the page already shows those that its reader wrote meanwhile.
    """
    rows = _visible_threads(note).filter(pk__lte=until) if until else _visible_threads(note)
    found = paging.fetch_page(rows, order=ORDER_BY, types=CURSOR_TYPES, cursor=cursor, size=PAGE_SIZE)
    replies = _load_first_replies(note, [row.pk for row in found.items], viewer)
    items = [_build_view_with_replies(row, note, viewer, replies.get(row.pk, [])) for row in found.items]
    newest = until or (note.comment_rows.order_by("-pk").values_list("pk", flat=True).first() or 0)
    return CommentPage(items, found.next, newest)


def load_thread(comment: Comment, viewer: User | None) -> CommentView:
    """Return the comment, or a reply's parent, with its first replies; deleted ones too."""
    row = _with_reply_counts(comment.note).get(pk=comment.parent_id or comment.pk)
    row.note = comment.note
    replies = _load_first_replies(comment.note, [row.pk], viewer)
    return _build_view_with_replies(row, comment.note, viewer, replies.get(row.pk, []))


def list_replies(comment: Comment, cursor: str | None, viewer: User | None) -> CommentPage:
    """Return a page of the replies to a comment, the oldest first; BadCursor."""
    rows = _visible_replies(comment.note).filter(parent=comment)
    found = paging.fetch_page(rows, order=ORDER_BY, types=CURSOR_TYPES, cursor=cursor, size=PAGE_SIZE)
    return CommentPage(
        [_build_view_with_replies(row, comment.note, viewer) for row in found.items], found.next, 0
    )


def build_view(comment: Comment, viewer: User | None) -> CommentView:
    """Return the view of a comment without loading its replies, such as one that was just written."""
    return _build_view_with_replies(comment, comment.note, viewer)


def _attach_to_thread(comment: Comment, answered: Comment) -> None:
    comment.parent = answered.parent or answered
    if answered.parent and answered.author_id != comment.author_id:
        comment.mentions = answered.author


def _change_count(note_id: int, step: int) -> None:
    # Never below 0: a wrong count must not make a deletion fail. blog.reconcile repairs it.
    Note.objects.filter(pk=note_id).update(comments=Greatest(F("comments") + step, 0))


def _notify(comment: Comment, answered: Comment | None) -> None:
    concerned = {comment.note.author_id} | ({answered.author_id} if answered else set())
    for user_id in concerned - {comment.author_id}:
        notification_counts.add(user_id, notification_counts.Kind.COMMENT)


def _visible_threads(note: Note) -> QuerySet[Comment]:
    """Return the top comments to show; deleted ones only if they have replies."""
    return _with_reply_counts(note).filter(Q(deleted_at=None) | Exists(_replies_of_outer_comment(note)))


def _with_reply_counts(note: Note) -> QuerySet[Comment]:
    many = (
        _replies_of_outer_comment(note).order_by().values("parent").annotate(many=Count("pk")).values("many")
    )
    rows = Comment.objects.filter(note=note, parent=None).select_related("author")
    return rows.annotate(reply_count=Coalesce(Subquery(many), 0))


def _replies_of_outer_comment(note: Note) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(note=note, parent=OuterRef("pk"))


def _visible_replies(note: Note) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(note=note).select_related("author", "mentions")


def _load_first_replies(
    note: Note, comment_ids: Sequence[int], viewer: User | None
) -> dict[int, list[CommentView]]:
    place = Window(RowNumber(), partition_by=F("parent"), order_by=[F(name) for name in ORDER_BY])
    rows = _visible_replies(note).filter(parent__in=comment_ids).annotate(place=place)
    found: dict[int, list[CommentView]] = {}
    for row in rows.filter(place__lte=MAX_FIRST_REPLIES).order_by("parent", "place"):
        found.setdefault(row.parent_id or 0, []).append(_build_view_with_replies(row, note, viewer))
    return found


def _build_view_with_replies(
    row: Comment, note: Note, viewer: User | None, replies: Sequence[CommentView] = ()
) -> CommentView:
    may_delete = row.deleted_at is None and access.may_delete(row, note, viewer)
    count, may_restore = getattr(row, "reply_count", 0), access.may_restore(row, viewer)
    return CommentView(row, may_delete, list(replies), count, may_restore)
