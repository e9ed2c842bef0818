from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts import access as people
from apps.accounts import auth
from apps.blog import access, asked, cards, lists, refusals


@never_cache
@login_required
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """My notes, published or drafts; after deleting one (?deleted=) the way back."""
    user, tab = auth.user_of(request), request.GET.get("status", "")
    tab = tab if tab in lists.OWN else "published"
    page = refusals.paged(lambda: lists.own(user, tab, cursor=request.GET.get("cursor")))
    shown = {"cards": cards.of(page.items, user.pk)} | cards.following(request, page.next)
    deleted = lists.last_deleted(user) if "deleted" in request.GET else None
    template = "blog/_mine.html" if asked.by_htmx(request) else "blog/mine.html"
    return render(request, template, {"tab": tab, "deleted": deleted} | shown)


@never_cache
@require_safe
def of_shop(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Everything people wrote about a shop."""
    shop = access.shop(shop_id)
    page = refusals.paged(lambda: lists.of_shop(shop_id, cursor=request.GET.get("cursor")))
    template = "blog/_notes.html" if asked.by_htmx(request) else "blog/shop_notes.html"
    return render(request, template, {"shop": shop} | cards.wall(request, page))


@never_cache
@require_safe
def of_person(request: HttpRequest, user_id: int) -> HttpResponse:
    """Everything a person published."""
    person = people.person(user_id)
    page = refusals.paged(lambda: lists.of_person(user_id, cursor=request.GET.get("cursor")))
    template = "blog/_notes.html" if asked.by_htmx(request) else "blog/person_notes.html"
    return render(request, template, {"person": person} | cards.wall(request, page))
