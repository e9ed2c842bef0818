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

from apps.accounts import names, news
from apps.accounts.models import User
from apps.blog import access
from apps.blog.models import Comment, Note
from apps.redis_kit import commits, paging

#: Comments of a page, replies of a page, and replies that come with their comment.
PAGE, FIRST_REPLIES = 20, 3
ORDER: list[str] = ["created_at", "id"]
TYPES: list[type[paging.Part]] = [str, int]


@dataclass(frozen=True)
class Shown:
    """A comment as a viewer sees it, with its first replies and how many there are (none under a reply)."""

    comment: Comment
    may_delete: bool
    replies: list["Shown"] = field(default_factory=list)
    reply_count: int = 0
    may_restore: bool = False

    @property
    def more_replies(self) -> bool:
        """Whether some are not among the first."""
        return self.reply_count > len(self.replies)


@dataclass(frozen=True)
class Page:
    """Comments, the oldest first; `next` is the cursor of the next page, `until` its last id (see `page`)."""

    items: list[Shown]
    next: str | None
    until: int


def add(note_id: int, author: User, text: str, *, reply_to: int | None = None) -> Comment:
    """Comment on a published note, or reply to a comment of it; ValidationError, Http404.

    A reply to a reply stands under the same comment, and mentions whom it answers.
    """
    comment = Comment(author=author, text=text)
    comment.clean_fields(exclude={"note", "author", "parent", "mentions"})
    if not names.says_something(comment.text):
        raise ValidationError({"text": _("Write a few words.")})
    with transaction.atomic():
        comment.note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        answered = access.comment(reply_to, note_id=note_id) if reply_to else None
        if answered:
            _put_under(comment, answered)
        comment.save(force_insert=True)
        _count(note_id, 1)
        commits.after(_tell, comment, answered)
    return comment


def delete(comment: Comment, *, by: User | None = None) -> bool:
    """Take a comment away (access.comment_to_delete says who may); whether it was still there.

    Only `by` may take that back, for a day (access.own_deleted_comment).
    """
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        gone = Comment.objects.shown().filter(pk=comment.pk).update(deleted_at=timezone.now(), deleted_by=by)
        if gone:
            _count(comment.note_id, -1)
    return bool(gone)


def restore(comment: Comment) -> bool:
    """Bring a deleted comment back; whether it was away."""
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        away = Comment.objects.filter(pk=comment.pk, deleted_at__isnull=False)
        back = away.update(deleted_at=None, deleted_by=None)
        if back:
            _count(comment.note_id, 1)
    return bool(back)


def page(note: Note, cursor: str | None, viewer: User | None, *, until: int = 0) -> Page:
    """A page with the first replies of each: two queries; BadCursor.

    `until` leaves out comments newer than the first page: who wrote one on it has it before their eyes.
    """
    rows = _threads(note).filter(pk__lte=until) if until else _threads(note)
    found = paging.slice_after(rows, order=ORDER, types=TYPES, cursor=cursor, size=PAGE)
    replies = _first_replies(note, [row.pk for row in found.items], viewer)
    items = [_shown(row, note, viewer, replies.get(row.pk, [])) for row in found.items]
    newest = until or (note.comment_rows.order_by("-pk").values_list("pk", flat=True).first() or 0)
    return Page(items, found.next, newest)


def thread(comment: Comment, viewer: User | None) -> Shown:
    """The comment, or that above the reply, deleted or not, with its first replies."""
    row = _counted(comment.note).get(pk=comment.parent_id or comment.pk)
    row.note = comment.note
    replies = _first_replies(comment.note, [row.pk], viewer)
    return _shown(row, comment.note, viewer, replies.get(row.pk, []))


def replies(comment: Comment, cursor: str | None, viewer: User | None) -> Page:
    """A page of the replies to a comment, the oldest first; BadCursor."""
    rows = _replies(comment.note).filter(parent=comment)
    found = paging.slice_after(rows, order=ORDER, types=TYPES, cursor=cursor, size=PAGE)
    return Page([_shown(row, comment.note, viewer) for row in found.items], found.next, 0)


def shown(comment: Comment, viewer: User | None) -> Shown:
    """One that was just written."""
    return _shown(comment, comment.note, viewer)


def _put_under(comment: Comment, answered: Comment) -> None:
    comment.parent = answered.parent or answered
    if answered.parent and answered.author_id != comment.author_id:
        comment.mentions = answered.author


def _count(note_id: int, step: int) -> None:
    # A count that had drifted may not break a deletion: drift mends it.
    Note.objects.filter(pk=note_id).update(comments=Greatest(F("comments") + step, 0))


def _tell(comment: Comment, answered: Comment | None) -> None:
    concerned = {comment.note.author_id} | ({answered.author_id} if answered else set())
    for user_id in concerned - {comment.author_id}:
        news.tell(user_id, news.Kind.COMMENT)


def _threads(note: Note) -> QuerySet[Comment]:
    """Comments to show, deleted ones only where replies stand under them."""
    return _counted(note).filter(Q(deleted_at=None) | Exists(_under(note)))


def _counted(note: Note) -> QuerySet[Comment]:
    many = _under(note).order_by().values("parent").annotate(many=Count("pk")).values("many")
    rows = Comment.objects.filter(note=note, parent=None).select_related("author")
    return rows.annotate(reply_count=Coalesce(Subquery(many), 0))


def _under(note: Note) -> QuerySet[Comment]:
    return Comment.objects.shown().filter(note=note, parent=OuterRef("pk"))


def _replies(note: Note) -> QuerySet[Comment]:
    return Comment.objects.shown().filter(note=note).select_related("author", "mentions")


def _first_replies(note: Note, comment_ids: Sequence[int], viewer: User | None) -> dict[int, list[Shown]]:
    place = Window(RowNumber(), partition_by=F("parent"), order_by=[F(name) for name in ORDER])
    rows = _replies(note).filter(parent__in=comment_ids).annotate(place=place)
    found: dict[int, list[Shown]] = {}
    for row in rows.filter(place__lte=FIRST_REPLIES).order_by("parent", "place"):
        found.setdefault(row.parent_id or 0, []).append(_shown(row, note, viewer))
    return found


def _shown(row: Comment, note: Note, viewer: User | None, replies: Sequence[Shown] = ()) -> Shown:
    may_delete = row.deleted_at is None and access.may_delete(row, note, viewer)
    count, may_restore = getattr(row, "reply_count", 0), access.may_restore(row, viewer)
    return Shown(row, may_delete, list(replies), count, may_restore)
