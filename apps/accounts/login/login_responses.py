"""The log-in page's answers: a whole page, or the step alone when htmx asks."""

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect, render
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts.forms import PhoneForm
from apps.accounts.login import redirects
from apps.accounts.sessions import cookies
from apps.web.htmx import is_htmx

#: Seconds before the page offers another code; most messages arrive sooner.
RESEND_SECONDS = 30


def next_url(request: HttpRequest) -> str:
    """Where this log-in leads."""
    return redirects.requested_next(request)


def render_step(request: HttpRequest, step: str, form: PhoneForm, *, debug_code: str = "") -> HttpResponse:
    """Step "phone" or "code" with its form; the status tells a refusal from a first look."""
    name = f"accounts/_{step}_step.html"
    about = {
        "step": name,
        "form": form,
        "next": next_url(request),
        "debug_code": debug_code,
        "resend_after": RESEND_SECONDS,
    }
    status = form.status if form.errors else 200
    response = render(request, name if is_htmx(request) else "accounts/login.html", about, status=status)
    response["Cache-Control"] = "no-store"
    if form.retry_after is not None:
        response["Retry-After"] = str(form.retry_after)
    return response


def redirect_logged_in(request: HttpRequest, token: str) -> HttpResponse:
    """Into the site, with the new token; forms of the time before are void."""
    rotate_token(request)
    url = next_url(request)
    response = HttpResponseClientRedirect(url) if is_htmx(request) else redirect(url)
    cookies.write_token(response, token)
    return response
