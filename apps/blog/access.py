"""The note or photo, if this person may see or touch it, else 404."""

from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.shops.models import Shop

#: How long its author may take a deletion back.
UNDO_WITHIN = timedelta(days=1)


def note(note_id: int, viewer: User | AnonymousUser | None) -> Note:
    """A published note, or the viewer's own draft, with what its page shows."""
    found = get_object_or_404(Note.objects.kept().with_cards(), pk=note_id)
    if found.status != Note.Status.PUBLISHED and (viewer is None or found.author_id != viewer.pk):
        raise Http404
    return found


def own_note(note_id: int, user: User) -> Note:
    """The person's own note, draft or published."""
    return get_object_or_404(Note.objects.kept().with_cards(), pk=note_id, author=user)


def own_deleted(note_id: int, user: User) -> Note:
    """The person's own note that they deleted a moment ago; not one that staff hid."""
    since = timezone.now() - UNDO_WITHIN
    deleted = Note.objects.filter(status=Note.Status.DELETED, deleted_at__gt=since)
    return get_object_or_404(deleted, pk=note_id, author=user)


def own_photo(photo_id: int, user: User) -> Photo:
    """The person's own photo, on a note or not."""
    return get_object_or_404(Photo, pk=photo_id, owner=user)


def shown_photo(name: str) -> Photo:
    """A photo by its name, unless its note is deleted."""
    return get_object_or_404(Photo.objects.exclude(note__status=Note.Status.DELETED), name=name)


def shop(shop_id: int) -> Shop:
    """A shop one may write about."""
    return get_object_or_404(Shop.objects.open_to_public().select_related("type"), pk=shop_id)
