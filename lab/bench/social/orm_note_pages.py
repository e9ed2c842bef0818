"""The pages of notes by the ORM alone, as fast as it can: the same templates, counts and indexes, no Redis.

A ROOT_URLCONF: the site's own addresses, and these pages under /orm/.
"""

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils import timezone

from apps.accounts import auth
from apps.accounts.models import User
from apps.blog import comments, heat
from apps.blog.display import note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.feed import feed as feed_cursor
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.likes import NoteLikes
from apps.blog.models import Like, Note, NoteQuerySet
from apps.follows.models import Follow
from config.urls import urlpatterns as site

PAGE = 20


def hot(request: HttpRequest) -> HttpResponse:
    """Render /notes/."""
    notes = Note.objects.published().with_cards().order_by("-heat", "-id")
    found = list(notes[: PAGE + 1])
    shown = {"tab": "", "cards": cards(found[:PAGE]), "next_url": "?cursor=of-the-last", "more": False}
    return render(request, "blog/hot_notes.html", shown)


def note(request: HttpRequest, note_id: int) -> HttpResponse:
    """Render /notes/<id>/."""
    found = get_object_or_404(Note.objects.published().with_cards(), pk=note_id)
    first = Like.objects.filter(note=found).select_related("user").order_by("created_at", "id")[:5]
    (card,) = cards([found])
    shown = {
        "note": found,
        "photos": list(found.photos.all()),
        "shape": card.shape,
        "likes": NoteLikes(found.likes, False, [row.user for row in first]),
        "liked": None,
        "comments": comments.list_page(found, None, None),
    }
    return render(request, "blog/note.html", shown)


def feed(request: HttpRequest) -> HttpResponse:
    """Render /feed/."""
    viewer_id = auth.viewer_id(request)
    authors = Follow.objects.filter(follower=viewer_id).values("followee")
    notes = Note.objects.published().filter(author__in=authors).with_cards()
    found = list(notes.order_by("-published_at", "-id")[: PAGE + 1])
    shown = {"cards": cards(found[:PAGE]), "next_url": "?max=of-the-last", "more": False, "rows": []}
    return render(
        request, "blog/feed.html", shown | {"top": feed_cursor.to_query(FeedPosition.for_note(found[0]))}
    )


@transaction.atomic
def like(request: HttpRequest, note_id: int) -> HttpResponse:
    """Serve POST /notes/<id>/like/."""
    user, wanted = auth.require_user(request), request.POST["liked"] != "0"
    found = get_object_or_404(Note.objects.published().locked(), pk=note_id)
    set_like(found, user, wanted=wanted)
    about = {"note": found, "count": found.likes, "liked": wanted, "spot": "card", "just": True}
    return render(request, "blog/_heart.html", about)


def set_like(found: Note, user: User, *, wanted: bool) -> None:
    if wanted:
        changed = Like.objects.get_or_create(note=found, user=user, defaults={"created_at": timezone.now()})[
            1
        ]
    else:
        changed = bool(Like.objects.filter(note=found, user=user).delete()[0])
    if changed:
        found.likes += 1 if wanted else -1
        found.heat = heat.score(found.likes, found.published_at)
        Note.objects.filter(pk=found.pk).update(likes=F("likes") + (1 if wanted else -1), heat=found.heat)


def with_like_flags(notes: NoteQuerySet, viewer_id: int | None) -> NoteQuerySet:
    mine = Like.objects.filter(note=OuterRef("pk"), user=viewer_id)
    return notes.with_cards().annotate(liked=Exists(mine))


def cards(notes: list[Note]) -> list[NoteRow]:
    return [note_rows.from_note(one, next(iter(one.photos.all()), None)) for one in notes]


urlpatterns = [
    *site,
    path("orm/notes/", hot),
    path("orm/notes/<bigid:note_id>/", note),
    path("orm/feed/", feed),
    path("orm/notes/<bigid:note_id>/like/", like),
]
