"""The page of one's tokens for programs."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.programs import program_tokens
from apps.accounts.programs.forms import NewTokenForm


@sensitive_post_parameters("code")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """The tokens and the form of a new one; POST makes it, and answers with it once."""
    user = auth.require_user(request)
    form, made = NewTokenForm(request.POST or None, user=user), None
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            made = form.save()
            form = NewTokenForm(None, user=user) if made else form
    about = {"form": form, "made": made, "tokens": program_tokens.list_own(user)}
    status = form.status if form.errors else 200
    response = render(request, "accounts/program_tokens.html", about, status=status)
    if form.retry_after:
        response["Retry-After"] = str(form.retry_after)
    return response


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one token."""
    program_tokens.revoke(auth.require_user(request), token_id)
    messages.success(request, _("That token works no longer."))
    return redirect("accounts:program_tokens")
