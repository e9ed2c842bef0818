"""What pages show of notes: `{% load blog %}`."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.safestring import SafeString

from apps.accounts import mentions
from apps.accounts.mentions import Link
from apps.accounts.models import User
from apps.blog import topics
from apps.blog.display import note_lists, note_page, note_rows
from apps.blog.display import shop_notes as reviews
from apps.blog.models import Comment, Note
from apps.blog.writing import dishes
from apps.shops.models import City, Shop
from apps.web.page_parts import leave_out_failures, page_part

register = template.Library()
#: Two rows on a wide screen, four on a phone.
MAX_HOME_NOTES = 8
MAX_SHOP_NOTES, MAX_PERSON_NOTES = 6, 8
#: Notes and comments of a person that staff sees with a report.
MAX_RECENT = 5


@page_part(register, "blog/_popular_now.html")
def popular_now(city: City) -> dict[str, Any]:
    """`{% popular_now city %}`: a city's most viewed shops."""
    return {"items": note_lists.popular_shops(city, note_lists.MAX_HOME_ITEMS)}


@page_part(register, "blog/_hot_notes.html")
def hot_notes(city: City) -> dict[str, Any]:
    """`{% hot_notes city %}`: the cards of the hottest notes about a city's shops, readable ones first."""
    return {"cards": note_lists.top_cards(MAX_HOME_NOTES, city)}


@register.simple_tag
def shop_album(shop: Shop) -> note_page.Album:
    """`{% shop_album shop as album %}`: the lead picture of a shop's page and the photos beside it."""
    return note_page.load_leading(shop)


leave_out_failures(register, "shop_album")


@page_part(register, "blog/_shop_dishes.html")
def shop_dishes(shop: Shop) -> dict[str, Any]:
    """`{% shop_dishes shop %}`: the dishes of a shop that its notes recommend most."""
    best = dishes.most_recommended(shop.pk) if shop.type.has_dishes else []
    return {"shop": shop, "dishes": best}


@page_part(register, "blog/_shop_notes.html")
def shop_notes(shop: Shop) -> dict[str, Any]:
    """`{% shop_notes shop %}`: a shop's newest notes, readable ones first, with a link to write one."""
    notes = note_rows.newest_of_shop(shop.pk, MAX_SHOP_NOTES * note_lists.COMPARED_FACTOR)
    cards = note_rows.readable_first(notes)[:MAX_SHOP_NOTES]
    controls = reviews.build_controls(shop.pk, reviews.Choice()) if notes else None
    return {"shop": shop, "cards": cards, "has_more": len(notes) > MAX_SHOP_NOTES, "reviews": controls}


@page_part(register, "blog/_ask_note.html")
def ask_note(shop_id: int, guest_id: int) -> dict[str, Any]:
    """`{% ask_note shop.pk user.pk %}`: stars to press for a guest who has written nothing about a shop."""
    has_written = Note.objects.not_deleted().filter(shop=shop_id, author=guest_id).exists()
    return {"shop_id": shop_id, "is_asked": not has_written, "choices": range(1, reviews.MAX_STARS + 1)}


@page_part(register, "blog/_person_notes.html")
def person_notes(person: User) -> dict[str, Any]:
    """`{% person_notes person %}`: a person's newest notes."""
    page = note_rows.page_of_person(person.pk, size=MAX_PERSON_NOTES)
    cards = note_rows.fetch([note.pk for note in page.items])
    return {"person": person, "cards": cards, "has_more": page.next is not None}


@page_part(register, "admin/blog/_recent_writing.html")
def recent_writing(person: User) -> dict[str, Any]:
    """`{% recent_writing person %}`: a person's newest notes and comments, for staff."""
    rows = Note.objects.exclude(status=Note.Status.DRAFT).filter(author=person).order_by("-id")
    comments = Comment.objects.filter(author=person).select_related("note").order_by("-id")
    return {"notes": rows[:MAX_RECENT], "comments": comments[:MAX_RECENT]}


@register.filter
def text_links(text: str, people: Iterable[Link]) -> SafeString:
    """`{{ note.text|text_links:note.links }}`: the text with links to its topics and to mentioned people."""
    return mentions.render_text(text, people, topics.link_spans(text))


@page_part(register, "blog/_topic_row.html")
def topic_row(text: str) -> dict[str, Any]:
    """`{% topic_row choices.text %}`: the way to the topic that a search means, if notes name it."""
    topic = topics.clean(text)
    count = topics.count_notes(topic) if topic else 0
    return {"topic": topic, "count": count, "has_more": count == topics.MAX_COUNTED}
