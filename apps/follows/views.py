"""Pages of follows: the button, lists of people, suggestions."""

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
from apps.web import htmx
from apps.web.problems import Problem


@require_POST
@never_cache
def follow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Follow a person; htmx gets the button in its next state."""
    return _change_follow(request, person_id, follow_button.follow)


@require_POST
@never_cache
def unfollow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Unfollow a person; htmx gets the button in its next state."""
    return _change_follow(request, person_id, follow_button.unfollow)


@require_GET
@never_cache
def followers(request: HttpRequest, person_id: int) -> HttpResponse:
    """People who follow a person; opening one's own list marks the news of new followers as read."""
    person, me = access.person(person_id), auth.viewer_id(request)
    if person.pk == me:
        notification_counts.mark_read(person.pk, notification_counts.Kind.FOLLOWER)
    page = person_lists.list_followers(person.pk, viewer_id=me, cursor=_cursor_param(request))
    return _render_list(request, person, page, "followers")


@require_GET
@never_cache
def following(request: HttpRequest, person_id: int) -> HttpResponse:
    """People a person follows."""
    person = access.person(person_id)
    page = person_lists.list_following(
        person.pk, viewer_id=auth.viewer_id(request), cursor=_cursor_param(request)
    )
    return _render_list(request, person, page, "following")


@require_GET
@never_cache
def common_follows(request: HttpRequest, person_id: int) -> HttpResponse:
    """People that both that person and the viewer follow."""
    person, me = access.person(person_id), auth.require_user(request)
    page = person_lists.list_common(person.pk, viewer_id=me.pk, cursor=_cursor_param(request))
    return _render_list(request, person, page, "common")


@require_GET
@never_cache
def suggested(request: HttpRequest) -> HttpResponse:
    """People whom the viewer might like to follow."""
    return render(
        request, "follows/suggestions.html", {"rows": suggestions.for_viewer(auth.viewer_id(request))}
    )


def _change_follow(
    request: HttpRequest, person_id: int, change: Callable[[int, int], follow_button.FollowState]
) -> HttpResponse:
    user = auth.require_user(request)
    try:
        state = change(user.pk, person_id)
    except Problem as problem:
        return _render_refusal(request, user, person_id, problem)
    if not htmx.is_htmx(request):
        return redirect(redirects.requested_next(request))
    context = {"person": access.person(person_id), "followed": state.following, "follow_state": state}
    return render(request, "follows/_follow_changed.html", context)


def _render_refusal(request: HttpRequest, user: User, person_id: int, problem: Problem) -> HttpResponse:
    """For htmx the unchanged button, the problem's status and a toast; a plain form returns to its page."""
    if not htmx.is_htmx(request):
        messages.error(request, problem.detail)
        return redirect(redirects.requested_next(request))
    context = {"person": access.person(person_id), "followed": graph.is_following(user.pk, person_id)}
    return htmx.refusal_response(problem, render_to_string("follows/_button.html", context, request))


def _render_list(request: HttpRequest, person: User, page: person_lists.PersonPage, tab: str) -> HttpResponse:
    context = {"person": person, "rows": page.items, "next": page.next, "tab": tab}
    if htmx.is_htmx(request):
        return render(request, "follows/_person_rows.html", context)
    context |= {"counts": Standing.objects.for_user(person.pk), "is_me": person.pk == auth.viewer_id(request)}
    return render(request, "follows/person_list.html", context)


def _cursor_param(request: HttpRequest) -> str:
    return request.GET.get("cursor", "")
