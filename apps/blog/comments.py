"""Comments on notes, and replies to them one level deep; the note counts them in the same transaction."""

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

#: Comments of a page, replies of a page, and replies that come with their comment.
PAGE_SIZE, MAX_FIRST_REPLIES = 20, 3
ORDER_BY: list[str] = ["created_at", "id"]
CURSOR_TYPES: list[type[paging.SortValue]] = [str, int]


@dataclass(frozen=True)
class CommentView:
    """A comment as a viewer sees it, with its first replies and how many there are (none under a reply)."""

    comment: Comment
    may_delete: bool
    replies: list["CommentView"] = field(default_factory=list)
    reply_count: int = 0
    may_restore: bool = False

    @property
    def has_more_replies(self) -> bool:
        """Whether some are not among the first."""
        return self.reply_count > len(self.replies)


@dataclass(frozen=True)
class CommentPage:
    """Comments, the oldest first; `next` is the cursor of the next page, `until` its last id (see `page`)."""

    items: list[CommentView]
    next: str | None
    until: int


def add(note_id: int, author: User, text: str, *, reply_to: int | None = None) -> Comment:
    """Comment on a published note, or reply to a comment of it; ValidationError, Http404.

    A reply to a reply stands under the same comment, and mentions whom it answers.
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
    """Take a comment away (access.comment_to_delete says who may); whether it was still there.

    Only `by` may take that back, for a day (access.own_deleted_comment).
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
    """Bring a deleted comment back; whether it was away."""
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        away = Comment.objects.filter(pk=comment.pk, deleted_at__isnull=False)
        back = away.update(deleted_at=None, deleted_by=None)
        if back:
            _change_count(comment.note_id, 1)
    return bool(back)


def list_page(note: Note, cursor: str | None, viewer: User | None, *, until: int = 0) -> CommentPage:
    """A page with the first replies of each: two queries; BadCursor.

    `until` leaves out comments newer than the first page: who wrote one on it has it before their eyes.
    """
    rows = _visible_threads(note).filter(pk__lte=until) if until else _visible_threads(note)
    found = paging.fetch_page(rows, order=ORDER_BY, types=CURSOR_TYPES, cursor=cursor, size=PAGE_SIZE)
    replies = _load_first_replies(note, [row.pk for row in found.items], viewer)
    items = [_build_view_with_replies(row, note, viewer, replies.get(row.pk, [])) for row in found.items]
    newest = until or (note.comment_rows.order_by("-pk").values_list("pk", flat=True).first() or 0)
    return CommentPage(items, found.next, newest)


def load_thread(comment: Comment, viewer: User | None) -> CommentView:
    """The comment, or that above the reply, deleted or not, with its first replies."""
    row = _with_reply_counts(comment.note).get(pk=comment.parent_id or comment.pk)
    row.note = comment.note
    replies = _load_first_replies(comment.note, [row.pk], viewer)
    return _build_view_with_replies(row, comment.note, viewer, replies.get(row.pk, []))


def list_replies(comment: Comment, cursor: str | None, viewer: User | None) -> CommentPage:
    """A page of the replies to a comment, the oldest first; BadCursor."""
    rows = _visible_replies(comment.note).filter(parent=comment)
    found = paging.fetch_page(rows, order=ORDER_BY, types=CURSOR_TYPES, cursor=cursor, size=PAGE_SIZE)
    return CommentPage(
        [_build_view_with_replies(row, comment.note, viewer) for row in found.items], found.next, 0
    )


def build_view(comment: Comment, viewer: User | None) -> CommentView:
    """One that was just written."""
    return _build_view_with_replies(comment, comment.note, viewer)


def _attach_to_thread(comment: Comment, answered: Comment) -> None:
    comment.parent = answered.parent or answered
    if answered.parent and answered.author_id != comment.author_id:
        comment.mentions = answered.author


def _change_count(note_id: int, step: int) -> None:
    # A count that had drifted may not break a deletion: drift mends it.
    Note.objects.filter(pk=note_id).update(comments=Greatest(F("comments") + step, 0))


def _notify(comment: Comment, answered: Comment | None) -> None:
    concerned = {comment.note.author_id} | ({answered.author_id} if answered else set())
    for user_id in concerned - {comment.author_id}:
        notification_counts.add(user_id, notification_counts.Kind.COMMENT)


def _visible_threads(note: Note) -> QuerySet[Comment]:
    """Comments to show, deleted ones only where replies stand under them."""
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
