"""Adds, deletes, restores and lists comments on notes, and replies one level deep.

A note's comment count changes in the same transaction as its comments.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, Greatest, RowNumber
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import mentions
from apps.accounts.mentions import MARK
from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.accounts.relations import blocks
from apps.blog import access, findable_notes, limits
from apps.blog.models import UNDO_PERIOD, Comment, Note
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.shops.members import own_shops
from apps.web import characters, findable, paging
from apps.web.problems.ids import MAX_ROW_ID

#: What mentions call these texts.
MENTION_KIND = "comment"
#: Comments or replies on a page, and replies that are loaded with their comment.
PAGE_SIZE, MAX_FIRST_REPLIES = paging.PAGE_SIZE, 3
#: Deleted comments on their person's page, and that are erased at once.
MAX_RESTORABLE, BATCH_COMMENTS = 100, 500
ORDER_BY: list[str] = ["created_at", "id"]
CURSOR_TYPES: list[type[paging.SortValue]] = [str, int]


@dataclass(frozen=True)
class CommentView:
    """A comment as a viewer sees it, with its first replies and the number of all; a reply has none.

    `may_delete` and `may_restore` are None on a page for everybody: the browser fills them in.
    """

    comment: Comment
    may_delete: bool | None
    replies: list["CommentView"] = field(default_factory=list)
    reply_count: int = 0
    may_restore: bool | None = False

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


def add(
    note_id: int,
    author: User,
    text: str,
    *,
    reply_to: int | None = None,
    mention_ids: Collection[int] = (),
) -> Comment:
    """Add a comment to a published note, or a reply to one of its comments.

    ValidationError, Problem 403 blocked or suspended, Http404.

    A reply to a reply is stored under the same top comment, and mentions the author of the reply it answers.
    `mention_ids` are the people picked for names in the text (accounts.mentions). An owner of the note's shop
    answers as the shop.
    """
    suspensions.require_may_write(author)
    comment = Comment(author=author, text=text)
    comment.clean_fields(exclude={"note", "author", "parent", "mentions"})
    if not characters.has_visible_characters(comment.text):
        raise ValidationError({"text": _("Write a few words.")})
    with transaction.atomic():
        comment.note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        answered = access.comment(reply_to, note_id=note_id) if reply_to else None
        if answered:
            _attach_to_thread(comment, answered)
        _require_together(comment, answered)
        comment.as_shop = own_shops.owns(author, comment.note.shop_id)
        comment.save(force_insert=True)
        _change_count(note_id, 1)
        if MARK in comment.text:
            _record_mentions(comment, mention_ids)
        _notify(comment)
    return comment


def delete(comment: Comment, *, by: User | None = None, at: datetime | None = None) -> bool:
    """Delete a comment; returns whether it was still visible. Http404 unless its note is published.

    The caller checks permission with access.deletable_comment. Only `by` may restore the
    comment, for UNDO_PERIOD (access.own_deleted_comment).
    """
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        visible = Comment.objects.visible().filter(pk=comment.pk)
        gone = visible.update(deleted_at=at or timezone.now(), deleted_by=by)
        if gone:
            _change_count(comment.note_id, -1)
            _take_notifications_back(comment)
    return bool(gone)


def undo_delete(comment: Comment, *, by: User) -> bool:
    """Restore a comment that this person deleted; returns what `restore` does. Problem 403 suspended, 429."""
    suspensions.require_may_write(by)
    limits.charge(limits.comments(), by.pk)
    return restore(comment)


def restore(comment: Comment) -> bool:
    """Restore a deleted comment; returns whether it was deleted. Http404 unless its note is published."""
    with transaction.atomic():
        get_object_or_404(Note.objects.published().locked(), pk=comment.note_id)
        away = Comment.objects.filter(pk=comment.pk, deleted_at__isnull=False)
        back = away.update(deleted_at=None, deleted_by=None)
        if back:
            _change_count(comment.note_id, 1)
            _notify(comment)
    return bool(back)


def withhold(comment_id: int) -> int:
    """Leave a deleted comment to staff to restore; returns who could. Http404 unless the deleter could."""
    since = timezone.now() - UNDO_PERIOD
    with transaction.atomic():
        mine = Comment.objects.filter(pk=comment_id, deleted_by__isnull=False, deleted_at__gt=since)
        found = get_object_or_404(mine.select_for_update(no_key=True))
        Comment.objects.filter(pk=comment_id).update(deleted_by=None)
    return int(found.deleted_by_id or 0)


def erase_expired() -> int:
    """Erase comments that were deleted longer ago than UNDO_PERIOD; returns how many. Not what staff hid."""
    rows = Comment.objects.filter(deleted_by__isnull=False, deleted_at__lte=timezone.now() - UNDO_PERIOD)
    expired = list(rows.order_by("pk")[:BATCH_COMMENTS])
    for comment in expired:
        erase(comment)
    return len(expired)


def list_restorable(user: User) -> list[Comment]:
    """The comments that a person deleted and may restore, the last deleted first, at most MAX_RESTORABLE."""
    since = timezone.now() - UNDO_PERIOD
    rows = Comment.objects.filter(deleted_by=user, deleted_at__gt=since, note__status=Note.Status.PUBLISHED)
    return list(rows.select_related("note", "note__shop").order_by("-deleted_at")[:MAX_RESTORABLE])


def erase(comment: Comment) -> None:
    """Remove a comment for good; under replies its row stays, deleted and without its text."""
    with transaction.atomic():
        Note.objects.locked().get(pk=comment.note_id)
        if Comment.objects.visible().filter(pk=comment.pk).update(deleted_at=timezone.now()):
            _change_count(comment.note_id, -1)
        mentions.forget(MENTION_KIND, [comment.pk])
        if comment.replies.exists():
            Comment.objects.filter(pk=comment.pk).update(text="", mentions=None, deleted_by=None)
        else:
            comment.delete()


def list_page(
    note: Note, cursor: str | None, viewer: User | None, *, until: int = 0, size: int = PAGE_SIZE
) -> CommentPage:
    """Return a page of a note's comments with the first replies of each; BadCursor. Two queries.

    `until` is the newest comment's id when the first page was loaded. Later comments are left out,
    since the page already shows those that its reader has written since.
    """
    threads = _query_threads(note.pk, until or MAX_ROW_ID)
    found = paging.fetch_page(threads, order=ORDER_BY, types=CURSOR_TYPES, cursor=cursor, size=size)
    replies = _load_first_replies(note, found.items, viewer)
    items = [_build_view_with_replies(row, note, viewer, replies.get(row.pk, [])) for row in found.items]
    newest = until or Comment.objects.filter(note=note.pk).aggregate(newest=Max("pk"))["newest"] or 0
    return CommentPage(_with_links(items), found.next, newest)


def load_thread(comment: Comment, viewer: User | None) -> CommentView:
    """Return the comment, or a reply's parent, with its first replies; deleted ones too."""
    row = _with_reply_counts(comment.note_id).get(pk=comment.parent_id or comment.pk)
    row.note = comment.note
    replies = _load_first_replies(comment.note, [row], viewer)
    view = _build_view_with_replies(row, comment.note, viewer, replies.get(row.pk, []))
    return _with_links([view])[0]


def list_replies(
    comment: Comment, cursor: str | None, viewer: User | None, *, size: int = PAGE_SIZE
) -> CommentPage:
    """Return a page of the replies to a comment, the oldest first; BadCursor."""
    rows = _visible_replies(comment.note_id).filter(parent=comment)
    found = paging.fetch_page(rows, order=ORDER_BY, types=CURSOR_TYPES, cursor=cursor, size=size)
    views = [_build_view_with_replies(row, comment.note, viewer) for row in found.items]
    return CommentPage(_with_links(views), found.next, 0)


def build_view(comment: Comment, viewer: User | None) -> CommentView:
    """Return the view of a comment without loading its replies, such as one that was just written."""
    return _with_links([_build_view_with_replies(comment, comment.note, viewer)])[0]


def _attach_to_thread(comment: Comment, answered: Comment) -> None:
    comment.parent = answered.parent or answered
    if answered.parent and answered.author_id != comment.author_id:
        comment.mentions = answered.author


def _require_together(comment: Comment, answered: Comment | None) -> None:
    """Problem 403 blocked if there is a block between the author and a person whose comment is answered."""
    others = {comment.note.author_id} | ({answered.author_id} if answered else set())
    blocks.require_together(comment.author_id, others, _("You can't answer this person."))


def _record_mentions(comment: Comment, picked: Collection[int]) -> None:
    """Link the people named in a comment; who hears of the comment anyway gets no second notification."""
    mentions.record(
        MENTION_KIND,
        comment.pk,
        author_id=comment.author_id,
        text=comment.text,
        picked=picked,
        quiet_ids=_concerned(comment),
    )


def _with_links(views: list[CommentView]) -> list[CommentView]:
    """The views, with the links of all their texts: one query, and none without an "@"."""
    rows = [one.comment for view in views for one in (view, *view.replies)]
    mentions.attach_links(MENTION_KIND, rows)
    return views


def _change_count(note_id: int, step: int) -> None:
    # Never below 0: a wrong count must not make a deletion fail. blog.reconcile repairs it.
    Note.objects.filter(pk=note_id).update(comments=Greatest(F("comments") + step, 0))
    findable.changed(findable_notes.NAME, note_id, columns=["comments"])


def _notify(comment: Comment) -> None:
    """Notify the authors of the note and of the comments that this one answers, each once."""
    for user_id, kind in _concerned(comment).items():
        notifications.notify(
            Notice(
                user_id,
                kind,
                actor_id=comment.author_id,
                target_kind="comment",
                target_id=comment.pk,
                text=comment.text,
            )
        )


def _take_notifications_back(comment: Comment) -> None:
    for user_id, kind in _concerned(comment).items():
        notifications.take_back(
            Notice(user_id, kind, actor_id=comment.author_id, target_kind="comment", target_id=comment.pk)
        )


def _concerned(comment: Comment) -> dict[int, Kind]:
    """{user id: kind} of the note's author and of who wrote what the comment answers, by id."""
    concerned = {comment.note.author_id: Kind.COMMENT}
    if comment.parent:
        concerned[comment.mentions_id or comment.parent.author_id] = Kind.REPLY
    return dict(sorted(concerned.items()))


def _query_threads(note_id: int, until: int) -> QuerySet[Comment]:
    """Return the top comments to show; deleted ones only if they have replies."""
    is_visible = Q(deleted_at=None) | Exists(_replies_of_outer_comment(note_id))
    return _with_reply_counts(note_id).filter(is_visible, pk__lte=until)


def _query_first_replies(note_id: int, comment_ids: list[int]) -> QuerySet[Comment]:
    place = Window(RowNumber(), partition_by=F("parent"), order_by=[F(name) for name in ORDER_BY])
    rows = _visible_replies(note_id).filter(parent__in=comment_ids).annotate(place=place)
    return rows.filter(place__lte=MAX_FIRST_REPLIES).order_by("parent", "place")


def _with_reply_counts(note_id: int) -> QuerySet[Comment]:
    replies = _replies_of_outer_comment(note_id).order_by().values("parent")
    many = replies.annotate(many=Count("pk")).values("many")
    rows = Comment.objects.filter(note=note_id, parent=None).select_related("author")
    return rows.annotate(reply_count=Coalesce(Subquery(many), 0))


def _replies_of_outer_comment(note_id: int) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(note=note_id, parent=OuterRef("pk"))


def _visible_replies(note_id: int) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(note=note_id).select_related("author", "mentions")


def _load_first_replies(
    note: Note, comments: Sequence[Comment], viewer: User | None
) -> dict[int, list[CommentView]]:
    answered = [row.pk for row in comments if _reply_count(row)]
    found: dict[int, list[CommentView]] = {}
    for row in _query_first_replies(note.pk, answered) if answered else ():
        found.setdefault(row.parent_id or 0, []).append(_build_view_with_replies(row, note, viewer))
    return found


def _reply_count(row: Comment) -> int:
    """The number of replies, where the query counts them."""
    return getattr(row, "reply_count", 0)


def _build_view_with_replies(
    row: Comment, note: Note, viewer: User | None, replies: Sequence[CommentView] = ()
) -> CommentView:
    is_gone, count = row.deleted_at is not None, _reply_count(row)
    may_delete = False if is_gone else access.may_delete(row, note, viewer) if viewer else None
    may_restore = access.may_restore(row, viewer) if viewer or not access.can_be_restored(row) else None
    return CommentView(row, may_delete, list(replies), count, may_restore)
