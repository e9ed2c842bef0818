"""What notes show on the pages of shops and people; importing this registers it there."""

from django.db.models import Sum
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts import auth, profile_counts
from apps.accounts import panels as people
from apps.accounts.models import User
from apps.blog import faces, hot, lists, viewed
from apps.blog.models import Note
from apps.shops import panels
from apps.shops.models import Shop

#: Two rows on a desk, four on a phone.
ON_HOME = 8
ON_SHOP, ON_PERSON = 6, 8


def hot_notes(request: HttpRequest, _subject: None) -> str:
    """The hottest notes on the home page; nothing while there are none."""
    found = faces.of(hot.top(ON_HOME), auth.viewer_id(request))
    return render_to_string("blog/_hot.html", {"cards": found}, request) if found else ""


def shop_notes(request: HttpRequest, shop: Shop) -> str:
    """The newest notes about a shop, and the way to write one."""
    notes = faces.newest(shop.pk, ON_SHOP + 1)
    shown = faces.seen(notes[:ON_SHOP], auth.viewer_id(request))
    about = {"shop": shop, "faces": shown, "has_more": len(notes) > ON_SHOP}
    return render_to_string("blog/_shop_notes.html", about, request)


def person_notes(request: HttpRequest, person: User) -> str:
    """The newest notes of a person."""
    page = lists.of_person(person.pk, size=ON_PERSON)
    shown = faces.of([note.pk for note in page.items], auth.viewer_id(request))
    about = {"person": person, "cards": shown, "has_more": page.next is not None}
    return render_to_string("blog/_person_notes.html", about, request)


def notes_of(user: User) -> int:
    return Note.objects.published().filter(author=user).count()


def likes_of(user: User) -> int:
    """Of all notes that a person has published."""
    mine = Note.objects.published().filter(author=user)
    return int(mine.aggregate(many=Sum("likes", default=0))["many"])


panels.HOME.register(viewed.popular_now, order=20)
panels.HOME.register(hot_notes, order=30)
panels.HOME.register(viewed.recently_viewed, order=60)
panels.SHOP.register(shop_notes, order=30)
people.PERSON.register(person_notes, order=10)
profile_counts.register("notes", _("Notes"), notes_of, page="blog:person_notes")
profile_counts.register("likes", pgettext_lazy("received", "Likes"), likes_of, page="blog:person_notes")
