import json
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import access, auth
from apps.accounts.login import redirects
from apps.accounts.models import User
from apps.accounts.profiles import notification_counts
from apps.follows import follow_button, graph, person_lists, suggestions
from apps.follows.models import Standing
from apps.web.problems import Problem


@require_POST
@never_cache
def follow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Follow a person; htmx gets the button in its next state."""
    return _change_follow(request, person_id, follow_button.follow)


@require_POST
@never_cache
def unfollow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Follow a person no longer."""
    return _change_follow(request, person_id, follow_button.unfollow)


@require_GET
@never_cache
def followers(request: HttpRequest, person_id: int) -> HttpResponse:
    """Who follows a person; my own new ones are no news any more."""
    person, me = access.person(person_id), auth.viewer_id(request)
    if person.pk == me:
        notification_counts.mark_read(person.pk, notification_counts.Kind.FOLLOWER)
    page = person_lists.list_followers(person.pk, viewer_id=me, cursor=_cursor_param(request))
    return _render_list(request, person, page, "followers")


@require_GET
@never_cache
def following(request: HttpRequest, person_id: int) -> HttpResponse:
    """Whom a person follows."""
    person = access.person(person_id)
    page = person_lists.list_following(
        person.pk, viewer_id=auth.viewer_id(request), cursor=_cursor_param(request)
    )
    return _render_list(request, person, page, "following")


@require_GET
@never_cache
def common(request: HttpRequest, person_id: int) -> HttpResponse:
    """Whom both that person and I follow."""
    person, me = access.person(person_id), auth.require_user(request)
    page = person_lists.list_common(person.pk, viewer_id=me.pk, cursor=_cursor_param(request))
    return _render_list(request, person, page, "common")


@require_GET
@never_cache
def suggested(request: HttpRequest) -> HttpResponse:
    """People worth following."""
    return render(
        request, "follows/suggestions.html", {"rows": suggestions.for_viewer(auth.viewer_id(request))}
    )


def _change_follow(
    request: HttpRequest, person_id: int, press: Callable[[int, int], follow_button.FollowState]
) -> HttpResponse:
    user = auth.require_user(request)
    try:
        pressed = press(user.pk, person_id)
    except Problem as why:
        return _render_refusal(request, user, person_id, why)
    if "HX-Request" not in request.headers:
        return redirect(redirects.requested_next(request))
    about = {"person": access.person(person_id), "followed": pressed.following, "pressed": pressed}
    return render(request, "follows/_follow_changed.html", about)


def _render_refusal(request: HttpRequest, user: User, person_id: int, why: Problem) -> HttpResponse:
    """htmx gets the button as it was, the true status and a toast; a plain form goes back to its page."""
    if "HX-Request" not in request.headers:
        messages.error(request, why.detail)
        return redirect(redirects.requested_next(request))
    about = {"person": access.person(person_id), "followed": graph.is_following(user.pk, person_id)}
    toast = json.dumps({"toast": {"text": why.detail, "level": "error"}})
    drawn = render_to_string("follows/_button.html", about, request)
    return HttpResponse(drawn, status=why.status, headers=why.headers | {"HX-Trigger": toast})


def _render_list(request: HttpRequest, person: User, page: person_lists.PersonPage, tab: str) -> HttpResponse:
    about = {"person": person, "rows": page.items, "next": page.next, "tab": tab}
    if "HX-Request" in request.headers:
        return render(request, "follows/_person_rows.html", about)
    about |= {"standing": Standing.objects.for_user(person.pk), "is_me": person.pk == auth.viewer_id(request)}
    return render(request, "follows/person_list.html", about)


def _cursor_param(request: HttpRequest) -> str:
    return request.GET.get("cursor", "")
