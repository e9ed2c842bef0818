"""The page of changing an account's phone: new number, code of the present phone, code of the new phone."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.forms import CodeForm, NewPhoneForm, PhoneForm, ProvenPhoneForm
from apps.accounts.login import logins, phone_change
from apps.accounts.models import AccessToken
from apps.accounts.sessions import cookies
from apps.web import client_address


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Ask for the new number (GET), and send a code to the present phone (POST)."""
    user, form = auth.require_user(request), NewPhoneForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        phone = form.cleaned_data["phone"]
        with form.show_refusals("phone"):
            code = phone_change.begin(user, phone, ip=client_address.client_ip(request))
            return _render(request, "present", CodeForm(initial={"phone": phone}), shown_code=code)
    return _render(request, "number", form)


@never_cache
@login_required
@require_POST
def prove(request: HttpRequest) -> HttpResponse:
    """Check the present phone's code and send one to the new phone."""
    user, form = auth.require_user(request), CodeForm(request.POST)
    if form.is_valid():
        phone, code = form.cleaned_data["phone"], form.cleaned_data["code"]
        with form.show_refusals("code"):
            proof, sent = phone_change.prove_present(user, phone, code, ip=client_address.client_ip(request))
            last = ProvenPhoneForm(initial={"phone": phone, "proof": proof})
            return _render(request, "new", last, shown_code=sent)
    return _render(request, "present", form)


@never_cache
@login_required
@require_POST
def finish(request: HttpRequest) -> HttpResponse:
    """Check the new phone's code and change the number; every other device is logged out."""
    user, form = auth.require_user(request), ProvenPhoneForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        with form.show_refusals("code"):
            device = logins.device_from_request(request, kind=AccessToken.Kind.PAGE)
            token = phone_change.finish(
                user, given["phone"], proof=given["proof"], code=given["code"], device=device
            )
            messages.success(request, _("Your account has its new number. Other devices are logged out."))
            response = redirect("accounts:profile")
            cookies.write_token(response, token)
            return response
    return _render(request, "new", form)


def _render(request: HttpRequest, step: str, form: PhoneForm, *, shown_code: str = "") -> HttpResponse:
    """The page at a step; status 200, or the form's when it has errors. Only the demo shows a code."""
    about = {"step": step, "form": form, "debug_code": shown_code if settings.DEMO else ""}
    status = form.status if form.errors else 200
    response = render(request, "accounts/phone.html", about, status=status)
    if form.retry_after is not None:
        response["Retry-After"] = str(form.retry_after)
    return response
