"""Lists of notes: public ones, of a person, a shop, a topic, the feed, liked and viewed ones; the heart."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import auth, redirects
from apps.accounts.relations import blocks
from apps.blog import access, comments, likes, limits, topics
from apps.blog.display import note_lists, note_page, note_rows, shop_notes
from apps.blog.feed import feed
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import UNDO_PERIOD, Note
from apps.follows import person_lists
from apps.front.documents.pages import shared_page
from apps.shops import access as shops_access
from apps.shops.geo import location
from apps.shops.lists import list_page as shop_list_page
from apps.shops.lists import query_params
from apps.uv import recent
from apps.web import htmx
from apps.web.problems import Problem

#: Sample notes for a visitor who is not logged in, and suggested people in an empty feed.
MAX_SAMPLE_NOTES, MAX_SUGGESTIONS = 8, 8


@require_GET
@vary_on_headers("HX-Request")
@shared_page
def show_public_list(request: HttpRequest) -> HttpResponse:
    """Render a page of the notes about the chosen city's shops, or about all, a document for each city.

    The hottest come first, with ?tab=new the newest; on each page those in the reader's language lead.
    """
    tab, place = request.GET.get("tab", ""), location.from_request(request)
    tab = tab if tab in note_lists.TABS else ""
    page = note_lists.list_page_of(place.city, tab, cursor=request.GET.get("cursor"))
    context = note_lists.page_context(request, page, city=place.city)
    context["cards"] = note_rows.readable_first(context["cards"])
    context |= {"tab": tab, "city": place.city, "places": shop_list_page.list_places()}
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/hot_notes.html"
    response = render(request, template, context | {"kept": [("tab", tab)] if tab else []})
    place.remember(response)
    return response


@never_cache
@login_required
@require_safe
def own_notes(request: HttpRequest) -> HttpResponse:
    """Render a page of the person's own notes, published or drafts; with ?deleted= also a button to undo.

    ?status=deleted lists the notes and comments that can be restored.
    """
    user, tab = auth.require_user(request), request.GET.get("status", "")
    if tab == "deleted":
        gone = {"notes": note_rows.list_restorable(user), "comments": comments.list_restorable(user)}
        return render(request, "blog/own_deleted.html", gone | {"tab": tab, "days": UNDO_PERIOD.days})
    tab = tab if tab in note_rows.OWN_STATUSES else "published"
    page = note_rows.page_of_own(user, tab, cursor=request.GET.get("cursor"))
    context = note_lists.page_context(request, page)
    deleted = note_rows.last_deleted_note(user) if "deleted" in request.GET else None
    template = "blog/_own_notes.html" if htmx.is_htmx(request) else "blog/own_notes.html"
    return render(request, template, {"tab": tab, "deleted": deleted} | context)


@never_cache
@require_safe
def notes_of_shop(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Render a page of the published notes about a shop: in an order, and those that fit the filters."""
    shop, dish = shops_access.shop(shop_id), access.dish(shop_id, request.GET.get("dish"))
    choice = shop_notes.read_choice(request.GET, dish)
    page = shop_notes.load_page(shop_id, choice, cursor=request.GET.get("cursor"))
    context = {"shop": shop, "dish": dish, "of_shop": True} | note_lists.page_context(request, page)
    if htmx.is_htmx(request):
        return render(request, "blog/_notes.html", context)
    return render(
        request, "blog/shop_notes.html", context | {"reviews": shop_notes.build_controls(shop_id, choice)}
    )


@never_cache
@require_safe
def photos_of_shop(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Render a page of a shop's album: its own photos and those of its notes."""
    shop = query_params.load_shop(shop_id)
    page = note_page.load_page(shop, request.GET.get("cursor"))
    template = "blog/_photo_rows.html" if htmx.is_htmx(request) else "blog/shop_photos.html"
    about = {"shop": shop, "shop_id": str(shop.pk), "photos": page.items}
    return render(request, template, about | note_lists.next_page_context(request, page.next))


@never_cache
@require_safe
def notes_of_person(request: HttpRequest, user_id: int) -> HttpResponse:
    """Render a page of the notes that a person published."""
    person = blocks.find_person(auth.viewer_id(request), user_id)
    page = note_rows.page_of_person(user_id, cursor=request.GET.get("cursor"))
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/person_notes.html"
    return render(request, template, {"person": person} | note_lists.page_context(request, page))


@never_cache
@require_safe
def notes_of_topic(request: HttpRequest, name: str) -> HttpResponse:
    """Render a page of the published notes that name a topic; other spellings of it lead here."""
    topic = topics.clean(name)
    if topic is None:
        raise Http404
    if topic != name:
        return redirect("blog:topic", topic)
    page = note_rows.page_of_topic(topic, cursor=request.GET.get("cursor"))
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/topic_notes.html"
    return render(request, template, {"topic": topic} | note_lists.page_context(request, page))


@require_GET
@vary_on_headers("HX-Request")
def show_feed(request: HttpRequest) -> HttpResponse:
    """Render the feed; for htmx the next notes alone, or without a cursor the whole list."""
    viewer_id, before = auth.viewer_id(request), feed.parse(request.GET)
    if viewer_id is None:
        return render(
            request,
            "blog/feed_visitor.html",
            {"cards": note_lists.top_cards(MAX_SAMPLE_NOTES)},
        )
    page = feed.load_page(viewer_id, before=before)
    context = _list_context(page, viewer_id, is_first=before is None)
    if not htmx.is_htmx(request):
        return render(request, "blog/feed.html", context)
    return render(request, "blog/_notes.html" if before else "blog/_feed.html", context)


@require_GET
def show_new_count(request: HttpRequest) -> HttpResponse:
    """Render the number of notes newer than the page's first; 204 if the page shows it already."""
    viewer_id, since = auth.viewer_id(request), feed.parse(request.GET)
    if viewer_id is None:
        return HttpResponse(status=204)
    count = feed.count_new(viewer_id, since=since or FeedPosition(0, 0))
    if request.GET.get("shown", "0") == str(count):
        return HttpResponse(status=204)
    return render(request, "blog/_feed_new_count.html", {"count": count, "most": feed.MAX_NEW_COUNT})


def _list_context(page: feed.FeedPage, viewer_id: int, *, is_first: bool) -> dict[str, Any]:
    """Return the context of blog/_feed.html and blog/_notes.html; `top` is the first note's cursor."""
    positions = [FeedPosition.for_note(note) for note in page.notes]
    next_url = f"{reverse('blog:feed')}?{feed.to_query(positions[-1])}" if page.has_more else ""
    return {
        "cards": note_rows.fetch([note.pk for note in page.notes]),
        "next_url": next_url,
        "more": not is_first,
        "top": feed.to_query(positions[0] if positions else FeedPosition(0, 0)),
        "rows": person_lists.for_viewer(viewer_id, MAX_SUGGESTIONS) if is_first and not page.notes else [],
    }


@require_GET
@never_cache
def show_recent(request: HttpRequest) -> HttpResponse:
    """Render the home page's panel of what this person or browser viewed."""
    items = note_lists.recent_items(recent.request_owner(request))
    return render(request, "blog/_recently_viewed.html", {"items": items})


@require_POST
@never_cache
def clear_recent(request: HttpRequest) -> HttpResponse:
    """Clear the list of shops and notes that this person or browser viewed; Problem 503 without Redis."""
    recent.clear(recent.request_owner(request))
    message = _("What you looked at is forgotten.")
    if htmx.is_htmx(request):
        return htmx.toast_response(message)
    messages.success(request, message)
    return redirect("home")


@require_POST
@never_cache
def like(request: HttpRequest, note_id: int) -> HttpResponse:
    """Like (`liked` 1) or unlike (0) a note, or turn it; htmx gets the heart, a plain form a redirect."""
    user = auth.require_user(request)
    is_wanted = htmx.wants_on(request.POST.get("liked"), is_on=lambda: likes.is_liked(note_id, user.pk))
    try:
        limits.charge(limits.LIKES, user.pk)
        (likes.like if is_wanted else likes.unlike)(note_id, user.pk)
    except Problem as problem:
        if not htmx.is_htmx(request):
            raise
        return htmx.refusal_response(problem, _render_heart(request, Note.objects.published(), note_id))
    if htmx.is_htmx(request):  # of any note: the like is done, whatever became of it meanwhile
        return HttpResponse(_render_heart(request, Note.objects.all(), note_id, liked=is_wanted))
    messages.success(request, _("You like this note.") if is_wanted else _("You no longer like this note."))
    return redirect(redirects.requested_next(request))


@require_GET
@never_cache
def liked_notes(request: HttpRequest, user_id: int) -> HttpResponse:
    """Render a page of the notes that a person likes, the newest like first."""
    person = blocks.find_person(auth.viewer_id(request), user_id)
    page = likes.list_liked_notes(user_id, cursor=request.GET.get("cursor"))
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/liked_notes.html"
    return render(request, template, {"person": person} | note_lists.page_context(request, page))


def _render_heart(
    request: HttpRequest, rows: QuerySet[Note], note_id: int, *, liked: bool | None = None
) -> str:
    """Return the heart's HTML; for the note's page (spot "note") with its first likers, swapped too.

    `liked` is what the press has just decided; None: the viewer's likes are asked.
    """
    note, spot = get_object_or_404(rows, pk=note_id), request.POST.get("spot", "")
    if liked is None:
        liked = likes.for_notes([note], auth.viewer_id(request))[note_id].liked
    heart = {"note": note, "spot": spot, "just": True, "count": note.likes, "liked": liked}
    html = render_to_string("blog/_heart.html", heart, request)
    if spot != "note":
        return html
    first = {"likes": likes.for_note_page(note, None), "oob": True}
    return html + render_to_string("blog/_like.html", first, request)
