"""Panels of notes on the home page and the pages of shops and people; importing this registers them."""

from django.db.models import Sum
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts import panels as people
from apps.accounts.models import User
from apps.accounts.profiles.profile_counts import PROFILE_COUNTS, CountSource
from apps.blog.display import albums, hot_list, note_cards, note_queries, viewed
from apps.blog.models import Note
from apps.blog.writing import dishes
from apps.shops import detail_page, panels
from apps.shops.models import Shop
from apps.web.slots import Slot

#: Beside the links below a published note: 10 the button that collects it.
NOTE_ACTIONS: Slot[Note] = Slot("note_actions")
#: At the end of a published note's page: 10 an ad's box.
NOTE_END: Slot[Note] = Slot("note_end")
#: Two rows on a wide screen, four on a phone.
MAX_HOME_NOTES = 8
MAX_SHOP_NOTES, MAX_PERSON_NOTES = 6, 8


def hot_notes(request: HttpRequest, _subject: None) -> str:
    """Return the HTML of the home page's panel of the hottest notes; "" if there are none."""
    found = note_cards.build(hot_list.top_ids(MAX_HOME_NOTES))
    return render_to_string("blog/_hot_notes.html", {"cards": found}, request) if found else ""


def shop_notes(request: HttpRequest, shop: Shop) -> str:
    """Return the HTML of a shop's newest notes, with a link to write one."""
    notes = note_cards.newest_of_shop(shop.pk, MAX_SHOP_NOTES + 1)
    about = {"shop": shop, "faces": tuple(notes[:MAX_SHOP_NOTES]), "has_more": len(notes) > MAX_SHOP_NOTES}
    return render_to_string("blog/_shop_notes.html", about, request)


def shop_album(request: HttpRequest, shop: Shop) -> str:
    """Return the HTML of the first photos of a shop's album, with a link to all; "" if there are none."""
    album = albums.load_leading(shop)
    return (
        render_to_string("blog/_shop_album.html", {"shop": shop, "album": album}, request)
        if album.total
        else ""
    )


def shop_dishes(request: HttpRequest, shop: Shop) -> str:
    """Return the HTML of the dishes of a shop that its notes recommend most; "" if there are none."""
    best = dishes.most_recommended(shop.pk) if shop.type.has_dishes else []
    rows = tuple((dish.pk, dish.name, dish.recommended) for dish in best)
    return render_to_string("blog/_shop_dishes.html", {"shop": shop, "dishes": rows}, request) if rows else ""


def person_notes(request: HttpRequest, person: User) -> str:
    """Return the HTML of a person's newest notes."""
    page = note_queries.page_of_person(person.pk, size=MAX_PERSON_NOTES)
    shown = note_cards.build([note.pk for note in page.items])
    about = {"person": person, "cards": shown, "has_more": page.next is not None}
    return render_to_string("blog/_person_notes.html", about, request)


def count_notes(user: User) -> int:
    return Note.objects.published().filter(author=user).count()


def count_likes_received(user: User) -> int:
    """Return the number of likes of all published notes of a person."""
    mine = Note.objects.published().filter(author=user)
    return int(mine.aggregate(many=Sum("likes", default=0))["many"])


panels.HOME.register(viewed.popular_now, order=20)
panels.HOME.register(hot_notes, order=30)
panels.HOME_END.register(viewed.recently_viewed_place, order=10)
panels.SHOP_ALBUM.register(shop_album, order=10)
detail_page.NOTE_LEADS.register(albums.find_lead)
panels.SHOP.register(shop_dishes, order=20)
panels.SHOP.register(shop_notes, order=30)
people.PERSON.register(person_notes, order=10)
PROFILE_COUNTS.register(CountSource(_("Notes"), count_notes, page="blog:person_notes"), key="notes", order=30)
PROFILE_COUNTS.register(
    CountSource(pgettext_lazy("received", "Likes"), count_likes_received, page="blog:person_notes"),
    key="likes",
    order=40,
)
