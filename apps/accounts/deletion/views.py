"""The page on which people delete their account: what goes, what stays, a code, and the end."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.deletion import deletions, rules
from apps.accounts.forms import CodeForm, ShowsRefusals
from apps.accounts.models import User
from apps.accounts.sessions import cookies
from apps.web import client_address


class GiveUpForm(ShowsRefusals, forms.Form):
    """Step one: whether the person gives up what they have not used."""

    give_up = forms.BooleanField(required=False)


class DeletionCodeForm(CodeForm):
    """Step two: the code, and what was given up. Six digits delete nothing: the button does."""

    give_up = forms.BooleanField(required=False, widget=forms.HiddenInput())

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        del self.fields["code"].widget.attrs["data-submit"]


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Say what a deletion does (GET), and send a code to the phone (POST)."""
    # Who loses nothing sends a form without any field: still a form that was sent.
    sent = request.POST if request.method == "POST" else None
    user, form = auth.require_user(request), GiveUpForm(sent)
    if request.method == "POST" and form.is_valid():
        give_up = form.cleaned_data["give_up"]
        with form.show_refusals():
            deletions.refuse_blocked(user, give_up=give_up)
            code = deletions.begin(user, ip=client_address.client_ip(request))
            last = DeletionCodeForm(initial={"phone": user.phone, "give_up": give_up})
            return _render(request, user, "code", last, shown_code=code)
    return _render(request, user, "facts", form)


@never_cache
@login_required
@require_POST
def finish(request: HttpRequest) -> HttpResponse:
    """Check the code and delete the account; every device is logged out."""
    user, form = auth.require_user(request), DeletionCodeForm(request.POST)
    if form.is_valid():
        given, ip = form.cleaned_data, client_address.client_ip(request)
        with form.show_refusals("code"):
            deletion = deletions.request(user, given["code"], ip=ip, give_up=given["give_up"])
            day = formats.date_format(timezone.localtime(deletion.purge_at), "DATE_FORMAT")
            text = _("Your account is deleted. Until %(day)s you can log in to take that back.")
            messages.success(request, text % {"day": day})
            response = redirect("/")
            cookies.clear_token(response)
            return response
    return _render(request, user, "code", form)


def _render(
    request: HttpRequest, user: User, step: str, form: ShowsRefusals, *, shown_code: str = ""
) -> HttpResponse:
    """The page at a step; status 200, or the form's when it has errors. Only the demo shows a code."""
    about = _describe(user) | {
        "step": step,
        "form": form,
        "debug_code": shown_code if settings.DEMO else "",
    }
    response = render(request, "accounts/delete.html", about, status=form.status if form.errors else 200)
    if form.retry_after is not None:
        response["Retry-After"] = str(form.retry_after)
    return response


def _describe(user: User) -> dict[str, Any]:
    """What a deletion does, and what blocks it."""
    blockers = rules.find_blockers(user)
    return {
        "grace_days": deletions.GRACE.days,
        "goes": rules.list_goes(),
        "kept": rules.list_kept(),
        "blockers": blockers,
        "losses": [blocker.loss for blocker in blockers if blocker.loss],
        "can_delete": not user.is_staff and all(blocker.loss for blocker in blockers),
    }
