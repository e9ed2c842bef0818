"""Lists of all public notes, of the person's own, of a shop's and of another person's."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import auth
from apps.accounts.relations import blocks
from apps.blog import access, comments, topics
from apps.blog.display import albums, hot_list, note_lists, note_queries
from apps.blog.models import UNDO_PERIOD
from apps.front.documents.pages import shared_page
from apps.shops import access as shops_access
from apps.shops.geo import location
from apps.shops.lists import list_page as shop_list_page
from apps.shops.lists import query_params
from apps.web import htmx


@require_GET
@vary_on_headers("HX-Request")
@shared_page
def show_public_list(request: HttpRequest) -> HttpResponse:
    """Render a page of the notes about the chosen city's shops, or about all, a document for each city.

    The hottest come first, with ?tab=new the newest.
    """
    tab, place = request.GET.get("tab", ""), location.from_request(request)
    tab = tab if tab in hot_list.TABS else ""
    page = hot_list.list_page_of(place.city, tab, cursor=request.GET.get("cursor"))
    context = note_lists.page_context(request, page, city=place.city)
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
        gone = {"notes": note_queries.list_restorable(user), "comments": comments.list_restorable(user)}
        return render(request, "blog/own_deleted.html", gone | {"tab": tab, "days": UNDO_PERIOD.days})
    tab = tab if tab in note_queries.OWN_STATUSES else "published"
    page = note_queries.page_of_own(user, tab, cursor=request.GET.get("cursor"))
    context = note_lists.page_context(request, page)
    deleted = note_queries.last_deleted_note(user) if "deleted" in request.GET else None
    template = "blog/_own_notes.html" if htmx.is_htmx(request) else "blog/own_notes.html"
    return render(request, template, {"tab": tab, "deleted": deleted} | context)


@never_cache
@require_safe
def notes_of_shop(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Render a page of the published notes about a shop, with ?dish= of those that recommend one."""
    shop, dish = shops_access.shop(shop_id), access.dish(shop_id, request.GET.get("dish"))
    page = note_queries.page_of_shop(
        shop_id, cursor=request.GET.get("cursor"), dish_id=dish.pk if dish else None
    )
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/shop_notes.html"
    return render(request, template, {"shop": shop, "dish": dish} | note_lists.page_context(request, page))


@never_cache
@require_safe
def photos_of_shop(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Render a page of a shop's album: its own photos and those of its notes."""
    shop = query_params.load_shop(shop_id)
    page = albums.load_page(shop, request.GET.get("cursor"))
    template = "blog/_photo_rows.html" if htmx.is_htmx(request) else "blog/shop_photos.html"
    about = {"shop": shop, "shop_id": str(shop.pk), "photos": page.items}
    return render(request, template, about | note_lists.next_page_context(request, page.next))


@never_cache
@require_safe
def notes_of_person(request: HttpRequest, user_id: int) -> HttpResponse:
    """Render a page of the notes that a person published."""
    person = blocks.find_person(auth.viewer_id(request), user_id)
    page = note_queries.page_of_person(user_id, cursor=request.GET.get("cursor"))
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
    page = note_queries.page_of_topic(topic, cursor=request.GET.get("cursor"))
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/topic_notes.html"
    return render(request, template, {"topic": topic} | note_lists.page_context(request, page))
