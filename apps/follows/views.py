import json
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import access, auth, news, redirects
from apps.accounts.models import User
from apps.follows import button, graph, people, suggestions
from apps.follows.models import Standing
from apps.problems import Problem


@require_POST
@never_cache
def follow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Follow a person; htmx gets the button in its next state."""
    return _press(request, person_id, button.follow)


@require_POST
@never_cache
def unfollow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Follow a person no longer."""
    return _press(request, person_id, button.unfollow)


@require_GET
@never_cache
def followers(request: HttpRequest, person_id: int) -> HttpResponse:
    """Who follows a person; my own new ones are no news any more."""
    person, me = access.person(person_id), auth.viewer_id(request)
    if person.pk == me:
        news.clear(person.pk, news.Kind.FOLLOWER)
    page = people.followers(person.pk, viewer_id=me, cursor=_cursor(request))
    return _list(request, person, page, "followers")


@require_GET
@never_cache
def following(request: HttpRequest, person_id: int) -> HttpResponse:
    """Whom a person follows."""
    person = access.person(person_id)
    page = people.following(person.pk, viewer_id=auth.viewer_id(request), cursor=_cursor(request))
    return _list(request, person, page, "following")


@require_GET
@never_cache
def common(request: HttpRequest, person_id: int) -> HttpResponse:
    """Whom both that person and I follow."""
    person, me = access.person(person_id), auth.user_of(request)
    page = people.common(person.pk, viewer_id=me.pk, cursor=_cursor(request))
    return _list(request, person, page, "common")


@require_GET
@never_cache
def suggested(request: HttpRequest) -> HttpResponse:
    """People worth following."""
    return render(request, "follows/people.html", {"rows": suggestions.of(auth.viewer_id(request))})


def _press(request: HttpRequest, person_id: int, press: Callable[[int, int], button.Pressed]) -> HttpResponse:
    user = auth.user_of(request)
    try:
        pressed = press(user.pk, person_id)
    except Problem as why:
        return _refused(request, user, person_id, why)
    if "HX-Request" not in request.headers:
        return redirect(redirects.asked_next(request))
    about = {"person": access.person(person_id), "followed": pressed.following, "pressed": pressed}
    return render(request, "follows/_pressed.html", about)


def _refused(request: HttpRequest, user: User, person_id: int, why: Problem) -> HttpResponse:
    """htmx gets the button as it was, the true status and a toast; a plain form goes back to its page."""
    if "HX-Request" not in request.headers:
        messages.error(request, why.detail)
        return redirect(redirects.asked_next(request))
    about = {"person": access.person(person_id), "followed": graph.is_following(user.pk, person_id)}
    toast = json.dumps({"toast": {"text": why.detail, "level": "error"}})
    drawn = render_to_string("follows/_button.html", about, request)
    return HttpResponse(drawn, status=why.status, headers=why.headers | {"HX-Trigger": toast})


def _list(request: HttpRequest, person: User, page: people.Page, tab: str) -> HttpResponse:
    about = {"person": person, "rows": page.items, "next": page.next, "tab": tab}
    if "HX-Request" in request.headers:
        return render(request, "follows/_people.html", about)
    about |= {"standing": Standing.objects.of(person.pk), "is_me": person.pk == auth.viewer_id(request)}
    return render(request, "follows/list.html", about)


def _cursor(request: HttpRequest) -> str:
    return request.GET.get("cursor", "")
