"""Responses of the log-in page: the whole page, or one step alone for htmx."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts import human_check, pending_actions, redirects
from apps.accounts.forms import PhoneForm
from apps.accounts.login.logins import LoggedIn
from apps.accounts.profiles import welcome
from apps.accounts.sessions import cookies
from apps.web.htmx import is_htmx

#: Seconds before the page offers another code; most messages arrive sooner.
RESEND_SECONDS = 30


def next_url(request: HttpRequest) -> str:
    """The path that the log-in leads to."""
    return redirects.requested_next(request)


def render_step(request: HttpRequest, step: str, form: PhoneForm, *, debug_code: str = "") -> HttpResponse:
    """The page of step "phone" or "code" with its form; status 200, or the form's when it has errors."""
    name = f"accounts/_{step}_step.html"
    about = {
        "step": name,
        "form": form,
        "next": next_url(request),
        "then": pending_actions.requested_id(request),
        "is_pending": pending_actions.find(request) is not None,
        "debug_code": debug_code,
        "resend_after": RESEND_SECONDS,
        "human_check": human_check.current(),
        "human_check_key": settings.HUMAN_CHECK_SITE_KEY,
    }
    status = form.status if form.errors else 200
    response = render(request, name if is_htmx(request) else "accounts/login.html", about, status=status)
    response["Cache-Control"] = "no-store"
    if form.retry_after is not None:
        response["Retry-After"] = str(form.retry_after)
    return response


def redirect_logged_in(request: HttpRequest, done: LoggedIn) -> HttpResponse:
    """The redirect into the site that sets the token cookie; new people are welcomed on the way."""
    acted = pending_actions.perform(request, token=done.token)
    url = acted.url or next_url(request)
    if done.is_new:
        url = welcome.url_for(url)
    if done.is_back:
        messages.success(request, _("Welcome back. Your account stays, with all that was in it."))
    response = HttpResponseClientRedirect(url) if is_htmx(request) else redirect(url)
    cookies.write_token(response, done.token)
    pending_actions.mark_done(response, acted)
    return response
