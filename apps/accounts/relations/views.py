"""Pages of blocks: the question before one, and the list of blocked people."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from apps.accounts import access, auth, redirects
from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.web import htmx


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def block(request: HttpRequest, person_id: int) -> HttpResponse:
    """Ask before a block or its end (GET), then block (`blocked` 1) or unblock (0); either can be undone."""
    user, person = auth.require_user(request), access.person(person_id)
    if request.method == "GET":
        template = "accounts/_block.html" if htmx.is_htmx(request) else "accounts/block.html"
        about = {"person": person, "blocked": blocks.has_blocked(user.pk, person.pk)}
        return render(request, template, about)
    # A toast's button has no fields: its address says what it wants.
    if (request.POST.get("blocked") or request.GET.get("blocked")) == "0":
        _unblock(request, user, person)
    else:
        _block(request, user, person)
    return redirect(redirects.requested_next(request))


@never_cache
@login_required
@require_GET
def blocked_people(request: HttpRequest) -> HttpResponse:
    """The page of blocked people, each with a button that unblocks."""
    page = blocks.list_blocked(auth.require_user(request).pk, cursor=request.GET.get("cursor", ""))
    template = "accounts/_blocked_rows.html" if htmx.is_htmx(request) else "accounts/blocks.html"
    return render(request, template, {"blocks": page.items, "next": page.next})


def _block(request: HttpRequest, user: User, person: User) -> None:
    blocks.block(user.pk, person.pk)
    text = _("You blocked %(name)s.") % {"name": person.nickname}
    messages.success(request, text, extra_tags=_undo_url(request, person, blocked="0"))


def _unblock(request: HttpRequest, user: User, person: User) -> None:
    blocks.unblock(user.pk, person.pk)
    text = _("You unblocked %(name)s.") % {"name": person.nickname}
    messages.success(request, text, extra_tags=_undo_url(request, person, blocked="1"))


def _undo_url(request: HttpRequest, person: User, *, blocked: str) -> str:
    query = {"blocked": blocked, "next": redirects.requested_next(request)}
    return reverse("accounts:block", args=[person.pk], query=query)
