"""What can be reported of notes: a note, one photo of it, and a comment."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.blog import access, comments
from apps.blog.models import Comment, Note, Photo
from apps.blog.writing import notes, photos
from apps.moderation.kinds import ReportableKind, Subject
from apps.moderation.models import Reason

#: Comments around a reported one.
MAX_NEIGHBOURS = 10


class NoteKind(ReportableKind):
    """A published note."""

    label = _("note")

    def find(self, target_id: int, _reader: User) -> Subject:
        note = access.note(target_id, None)
        return Subject(
            note.author_id, "\n".join(filter(None, [note.title, note.text])), note.get_absolute_url()
        )

    def hide(self, target_id: int) -> dict[str, Any]:
        note = _load_note(target_id)
        if note.status == Note.Status.DELETED:
            return {"deleted_at": notes.withhold(target_id).isoformat()}
        notes.hide(note)
        return {}

    def restore(self, target_id: int, before: Mapping[str, Any]) -> None:
        if "deleted_at" in before:
            # Its author had deleted it, and may restore it again.
            Note.objects.filter(pk=target_id, status=Note.Status.DELETED, deleted_at=None).update(
                deleted_at=datetime.fromisoformat(before["deleted_at"])
            )
        else:
            notes.restore(_load_note(target_id))

    def describe(self, target_id: int) -> str:
        return _describe_note(Note.objects.filter(pk=target_id).with_cards().first())


class PhotoKind(ReportableKind):
    """A photo of a published note."""

    label = _("photo")

    def find(self, target_id: int, _reader: User) -> Subject:
        rows = Photo.objects.filter(note__status=Note.Status.PUBLISHED).select_related("note")
        photo = get_object_or_404(rows, pk=target_id)
        assert photo.note
        return Subject(photo.owner_id, photo.note.title, photo.note.get_absolute_url())

    def hide(self, target_id: int) -> dict[str, Any]:
        photos.hide(target_id)
        return {}

    def restore(self, target_id: int, _before: Mapping[str, Any]) -> None:
        photos.bring_back(target_id)

    def describe(self, target_id: int) -> str:
        photo = Photo.objects.filter(pk=target_id).first()
        note_id = photo and (photo.note_id or photo.hidden_from_id)
        note = Note.objects.filter(pk=note_id).with_cards().first() if note_id else None
        return _describe_note(note, marked=photo) if note else ""


class CommentKind(ReportableKind):
    """A comment on a published note, or a reply."""

    label = _("comment")
    without_reasons = frozenset({Reason.WRONG_SHOP.value})

    def find(self, target_id: int, _reader: User) -> Subject:
        comment = access.comment(target_id)
        url = f"{comment.note.get_absolute_url()}#comment-{comment.pk}"
        return Subject(comment.author_id, comment.text, url)

    def hide(self, target_id: int) -> dict[str, Any]:
        if comments.delete(get_object_or_404(Comment, pk=target_id)):
            return {}
        return {"deleted_by": comments.withhold(target_id)}

    def restore(self, target_id: int, before: Mapping[str, Any]) -> None:
        if "deleted_by" in before:
            gone = Comment.objects.filter(pk=target_id, deleted_by=None, deleted_at__isnull=False)
            gone.update(deleted_by=before["deleted_by"])
            return
        # One that its author or the note's deleted meanwhile stays deleted.
        comments.restore(get_object_or_404(Comment, pk=target_id, deleted_by=None))

    def describe(self, target_id: int) -> str:
        comment = Comment.objects.filter(pk=target_id).select_related("note").first()
        if comment is None:
            return ""
        top_id = comment.parent_id or comment.pk
        replies = Comment.objects.filter(parent=top_id, pk__lte=comment.pk).order_by("-pk")
        rows = Comment.objects.filter(pk__in=[top_id, *replies.values_list("pk", flat=True)[:MAX_NEIGHBOURS]])
        about = {"note": comment.note, "comments": rows.select_related("author").order_by("pk")}
        return render_to_string("admin/blog/_reported_comment.html", about | {"marked": comment.pk})


def _load_note(note_id: int) -> Note:
    return get_object_or_404(Note, pk=note_id)


def _describe_note(note: Note | None, *, marked: Photo | None = None) -> str:
    if note is None:
        return ""
    about = {"note": note, "photos": list(note.photos.all()), "marked": marked}
    return render_to_string("admin/blog/_reported_note.html", about)
