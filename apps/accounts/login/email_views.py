"""The page of the e-mail address that a person logs in by: add, change and remove."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.forms import EmailCodeForm, EmailForm
from apps.accounts.login import emails
from apps.web import client_address


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Ask for the address (GET), and mail a code to it (POST)."""
    emails.require_on()
    user, form = auth.require_user(request), EmailForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        address = form.cleaned_data["email"]
        with form.show_refusals("email"):
            code = emails.begin(user, address, ip=client_address.client_ip(request))
            return _render(request, EmailCodeForm(initial={"email": address}), shown_code=code)
    return _render(request, form)


@never_cache
@login_required
@require_POST
def finish(request: HttpRequest) -> HttpResponse:
    """Check the code and keep the address."""
    emails.require_on()
    user, form = auth.require_user(request), EmailCodeForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        with form.show_refusals("code"):
            emails.finish(user, given["email"], given["code"], ip=client_address.client_ip(request))
            messages.success(request, _("E-mail address saved. You can log in by it."))
            return redirect("accounts:email")
    return _render(request, form)


@login_required
@require_POST
def remove(request: HttpRequest) -> HttpResponse:
    """Remove the address."""
    emails.require_on()
    emails.remove(auth.require_user(request))
    messages.success(request, _("E-mail address removed."))
    return redirect("accounts:email")


def _render(request: HttpRequest, form: EmailForm, *, shown_code: str = "") -> HttpResponse:
    """The page with its form; status 200, or the form's when it has errors. Only the demo shows a code."""
    own = emails.find_own(auth.require_user(request))
    if own:
        form.fields["email"].label = _("New e-mail address")
    about = {
        "form": form,
        "asks_code": isinstance(form, EmailCodeForm),
        "own": own,
        "debug_code": shown_code if settings.DEMO else "",
    }
    response = render(request, "accounts/email.html", about, status=form.status if form.errors else 200)
    if form.retry_after is not None:
        response["Retry-After"] = str(form.retry_after)
    return response
