"""The admin's pages of the second factor and of a forgotten password."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth, codes, redirects, second_factor
from apps.accounts.models import User
from apps.accounts.sessions import tokens
from apps.accounts.staff import audit
from apps.accounts.staff.forms import (
    NewPasswordForm,
    SecondFactorForm,
    SiteSecondFactorForm,
    StaffPhoneForm,
)
from apps.adminkit import qr_codes
from apps.web import client_address


@never_cache
@require_http_methods(["GET", "POST"])
def show_second_factor(request: HttpRequest) -> HttpResponse:
    """GET shows the user's second factor or how to set it up; POST puts it in force by a code."""
    user, form = auth.require_user(request), SecondFactorForm(request.POST or None)
    if request.method == "POST" and second_factor.is_set_up(user):
        return redirect("admin_second_factor")
    if request.method == "POST" and form.is_valid():
        try:
            backup_codes = second_factor.confirm(user, form.cleaned_data["code"])
        except ValidationError as error:
            form.add_error("code", error)
        else:
            _end_other_sessions(request, user)
            audit.record(user, _("set up a second factor"))
            return _render_second_factor(request, user, form, backup_codes=backup_codes)
    return _render_second_factor(request, user, form)


@never_cache
@require_POST
def remove_second_factor(request: HttpRequest) -> HttpResponse:
    """Remove the user's second factor, by a code of it."""
    user, form = auth.require_user(request), SecondFactorForm(request.POST)
    if form.is_valid() and second_factor.verify(user, form.cleaned_data["code"]):
        second_factor.remove(user)
        audit.record(user, _("turned the second factor off"))
        second_factor.forget_proof(request.session)
        messages.success(request, _("Your second factor is off."))
        return redirect("admin_second_factor")
    form.add_error("code", second_factor.wrong_code())
    return _render_second_factor(request, user, form)


def _end_other_sessions(request: HttpRequest, user: User) -> None:
    """End log-ins that began without the second factor; this one goes on, with it."""
    tokens.revoke_all(user.pk)
    user.refresh_from_db()
    update_session_auth_hash(request, user)
    second_factor.keep_proof(request.session, second_factor.find_device_id(user))


def _render_second_factor(
    request: HttpRequest, user: User, form: SecondFactorForm, *, backup_codes: list[str] | None = None
) -> HttpResponse:
    about: dict[str, Any] = {"title": _("Second factor"), "form": form, "backup_codes": backup_codes}
    about["is_set_up"] = second_factor.is_set_up(user)
    about["is_proven"] = second_factor.permits_session(user, request.session)
    about["next"] = redirects.requested_next(request)
    if about["is_set_up"]:
        about["codes_left"] = second_factor.count_backup_codes(user)
    else:
        device = second_factor.begin(user)
        about |= {"secret": second_factor.spell_secret(device), "qr": qr_codes.render_svg(device.config_url)}
    context = admin.site.each_context(request) | about
    return render(request, "admin/accounts/second_factor.html", context, status=422 if form.errors else 200)


@never_cache
@require_POST
def prove_second_factor(request: HttpRequest) -> HttpResponse:
    """Open the admin again in a session whose last code is too old; leads back to the page in `next`."""
    user, form = auth.require_user(request), SecondFactorForm(request.POST)
    device = second_factor.verify(user, form.cleaned_data["code"]) if form.is_valid() else None
    if device is None:
        form.add_error("code", second_factor.wrong_code())
        return _render_second_factor(request, user, form)
    second_factor.keep_proof(request.session, str(device.persistent_id))
    return redirect(redirects.safe_next(request.POST.get("next") or reverse("admin:index")))


@never_cache
@require_http_methods(["GET", "POST"])
def prove_on_site(request: HttpRequest) -> HttpResponse:
    """Let this log-in of the site use the user's permissions, by a code; leads back to the page in `next`."""
    user, form = auth.require_user(request), SiteSecondFactorForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals("code"):
            ip, token_id = client_address.client_ip(request), auth.require_login(request).token_id
            second_factor.prove_token(user, token_id, form.cleaned_data["code"], ip=ip)
            return redirect(redirects.requested_next(request))
    about = {"form": form, "next": redirects.requested_next(request)}
    about["is_set_up"] = second_factor.is_set_up(user)
    status = form.status if form.errors else 200
    return render(request, "accounts/second_factor.html", about, status=status)


@never_cache
@require_http_methods(["GET", "POST"])
def send_password_code(request: HttpRequest) -> HttpResponse:
    """Step one of a new password: send a code to a phone, and show step two."""
    form = StaffPhoneForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        phone = form.cleaned_data["phone"]
        with form.show_refusals("phone"):
            holder, ip = codes.new_request(), client_address.client_ip(request)
            code = codes.send(phone, ip=ip, holder=holder)
            debug_code = code if settings.DEMO else ""
            response = _render_step(request, NewPasswordForm(initial={"phone": phone}), debug_code=debug_code)
            codes.write_request(response, holder)
            return response
    return _render_step(request, form)


@sensitive_post_parameters("password", "again")
@never_cache
@require_POST
def set_new_password(request: HttpRequest) -> HttpResponse:
    """Step two: set the password, and end every log-in of the manager."""
    form = NewPasswordForm(request.POST)
    given = {"ip": client_address.client_ip(request), "code_request": codes.read_request(request)}
    if not form.is_valid() or not form.save(**given):
        return _render_step(request, form)
    messages.success(request, _("Your new password is set. Log in with it."))
    return redirect("admin:login")


def _render_step(request: HttpRequest, form: Any, *, debug_code: str = "") -> HttpResponse:
    about = {"title": _("New password"), "form": form, "debug_code": debug_code}
    about["is_last_step"] = isinstance(form, NewPasswordForm)
    context = admin.site.each_context(request) | about
    status = form.status if form.errors else 200
    return render(request, "admin/accounts/new_password.html", context, status=status)
