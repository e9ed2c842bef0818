"""Pages of follows: the button, lists of people, suggestions."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import access, auth, redirects
from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.follows import graph, person_lists
from apps.follows.models import Standing
from apps.web import htmx
from apps.web.problems import Problem


@require_POST
@never_cache
def follow(request: HttpRequest, person_id: int) -> HttpResponse:
    """Follow (`followed` 1) or unfollow (0) a person, or turn it; htmx gets the button in its next state."""
    user, value = auth.require_user(request), request.POST.get("followed")
    is_wanted = htmx.wants_on(value, is_on=lambda: graph.is_following(user.pk, person_id))
    try:
        state = (person_lists.follow if is_wanted else person_lists.unfollow)(user.pk, person_id)
    except Problem as problem:
        return _render_refusal(request, user, person_id, problem)
    if htmx.is_htmx(request):
        # By id alone: the end of a follow is done, though the person's account may be closed by now.
        person = User.objects.get(pk=person_id)
        context = {"person": person, "followed": state.following, "follow_state": state}
        return render(request, "follows/_follow_changed.html", context)
    return _return_with_message(request, is_followed=is_wanted)


@require_GET
@never_cache
def followers(request: HttpRequest, person_id: int) -> HttpResponse:
    """People who follow a person."""
    me = auth.viewer_id(request)
    person = blocks.find_person(me, person_id)
    page = person_lists.list_followers(person.pk, viewer_id=me, cursor=_cursor_param(request))
    return _render_list(request, person, page, "followers")


@require_GET
@never_cache
def following(request: HttpRequest, person_id: int) -> HttpResponse:
    """People a person follows."""
    me = auth.viewer_id(request)
    person = blocks.find_person(me, person_id)
    page = person_lists.list_following(person.pk, viewer_id=me, cursor=_cursor_param(request))
    return _render_list(request, person, page, "following")


@require_GET
@never_cache
def common_follows(request: HttpRequest, person_id: int) -> HttpResponse:
    """People that both that person and the viewer follow; htmx gets the first few for the person's page."""
    me = auth.require_user(request)
    person = blocks.find_person(me.pk, person_id)
    if htmx.is_htmx(request) and not _cursor_param(request):
        people, others = person_lists.list_common_faces(person, viewer_id=me.pk)
        about = {"person": person, "people": people, "others": others}
        return render(request, "follows/_common_follows.html", about) if people else HttpResponse()
    page = person_lists.list_common(person.pk, viewer_id=me.pk, cursor=_cursor_param(request))
    return _render_list(request, person, page, "common")


@require_GET
@never_cache
def suggested(request: HttpRequest) -> HttpResponse:
    """People that the viewer might like to follow."""
    return render(
        request, "follows/suggestions.html", {"rows": person_lists.for_viewer(auth.viewer_id(request))}
    )


def _return_with_message(request: HttpRequest, *, is_followed: bool) -> HttpResponse:
    messages.success(
        request, _("You follow this person now.") if is_followed else _("You no longer follow this person.")
    )
    return redirect(redirects.requested_next(request))


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
