"""Pages of log-in with the welcome after a first one, of profiles and sessions."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts import access, auth, codes, human_check, pending_actions, redirects
from apps.accounts.forms import LogInCodeForm, LogInForm, PasskeyForm, PhoneForm
from apps.accounts.login import emails, logins, passkeys
from apps.accounts.login.logins import LoggedIn
from apps.accounts.models import AccessToken, User
from apps.accounts.pictures import files, uploads
from apps.accounts.profiles import editing, profile_counts
from apps.accounts.profiles.editing import ProfileForm
from apps.accounts.sessions import cookies, tokens
from apps.front.documents.pages import shared_page
from apps.redis_kit import client
from apps.uv import recent
from apps.web import client_address, request_origin
from apps.web.htmx import is_htmx
from apps.web.page_metadata import PageMetadata
from apps.web.problems import Problem, translation

#: Seconds before the page offers another code; most messages arrive sooner.
RESEND_SECONDS = 30


@never_cache
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """Step one of the log-in: the phone or e-mail address."""
    if request.method == "POST":
        return check_code(request)
    if request.user.is_authenticated:
        return redirect(redirects.requested_next(request))
    return _render_step(request, "phone", LogInForm())


@require_POST
def send_code(request: HttpRequest) -> HttpResponse:
    """Send a code and show step two."""
    form: PhoneForm = LogInForm(request.POST)
    if form.is_valid():
        phone = form.cleaned_data["phone"]
        with form.show_refusals():
            holder, ip = codes.new_request(), client_address.client_ip(request)
            human_check.require(human_check.read_proof(request.POST), ip=ip)
            if "@" in phone:
                code = emails.send_code(phone, ip=ip, holder=holder)
            else:
                code = codes.send(phone, ip=ip, holder=holder)
            form, debug_code = LogInCodeForm(initial={"phone": phone}), code if settings.DEMO else ""
            response = _render_step(request, "code", form, debug_code=debug_code)
            codes.write_request(response, holder)
            return response
    return _render_step(request, "phone", form)


def check_code(request: HttpRequest) -> HttpResponse:
    """Step two of the log-in: check the code and log in."""
    form = LogInCodeForm(request.POST)
    if form.is_valid():
        with form.show_refusals("code"):
            device = logins.device_from_request(request, kind=AccessToken.Kind.PAGE)
            old = cookies.read_token(request)
            given, holder = form.cleaned_data, codes.read_request(request)
            verb = emails.log_in if "@" in given["phone"] else logins.log_in
            done = verb(given["phone"], given["code"], request=holder, device=device, old_token=old)
            recent.move_to_person(request, user_id=done.user.pk)
            return _redirect_logged_in(request, done)
    return _render_step(request, "code", form, debug_code=_debug_code(request))


@require_POST
def passkey_options(request: HttpRequest) -> HttpResponse:
    """What the browser needs to ask for a passkey, as JSON; the browser keeps who asked."""
    passkeys.require_on()
    try:
        holder, options = passkeys.begin_log_in(request.get_host(), ip=client_address.client_ip(request))
    except (Problem, *client.UNAVAILABLE) as error:
        return translation.translate(error).as_json()
    response = JsonResponse(options)
    passkeys.write_holder(response, holder)
    return response


@never_cache
@require_POST
def log_in_by_passkey(request: HttpRequest) -> HttpResponse:
    """Log in by what a passkey has signed, or show step one again with what is wrong."""
    passkeys.require_on()
    form = PasskeyForm(request.POST)
    if form.is_valid():
        with form.show_refusals():
            done = passkeys.log_in(
                form.cleaned_data["credential"],
                holder=passkeys.read_holder(request),
                origin=request_origin.read(request),
                device=logins.device_from_request(request, kind=AccessToken.Kind.PAGE),
                old_token=cookies.read_token(request),
            )
            recent.move_to_person(request, user_id=done.user.pk)
            return _redirect_logged_in(request, done)
    return _render_step(request, "phone", LogInForm(), refused=form)


def _debug_code(request: HttpRequest) -> str:
    """The code that the demo's page showed before this try, while it is still good."""
    phone, code = request.POST.get("phone", ""), request.POST.get("debug_code", "")
    holder = codes.read_request(request)
    return code if settings.DEMO and code and codes.is_pending(phone, code, holder=holder) else ""


def _render_step(
    request: HttpRequest,
    step: str,
    form: PhoneForm,
    *,
    debug_code: str = "",
    refused: PasskeyForm | None = None,
) -> HttpResponse:
    """The page of step "phone" or "code" with its form; status 200, or that of the form with errors.

    `refused` is the form of a passkey, beside that of the phone.
    """
    name = f"accounts/_{step}_step.html"
    about = {
        "step": name,
        "form": form,
        "next": redirects.requested_next(request),
        "then": pending_actions.requested_id(request),
        "is_pending": pending_actions.find(request) is not None,
        "debug_code": debug_code,
        "refused": refused,
        "passkeys": settings.LOGIN_PASSKEYS and passkeys.find_rp_id(request.get_host()),
        "resend_after": RESEND_SECONDS,
        "human_check": human_check.current(),
        "human_check_key": settings.HUMAN_CHECK_SITE_KEY,
    }
    judged = refused or form
    status = judged.status if judged.errors else 200
    response = render(request, name if is_htmx(request) else "accounts/login.html", about, status=status)
    response["Cache-Control"] = "no-store"
    if judged.retry_after is not None:
        response["Retry-After"] = str(judged.retry_after)
    return response


def _redirect_logged_in(request: HttpRequest, done: LoggedIn) -> HttpResponse:
    """The redirect into the site that sets the token cookie; new people are welcomed on the way."""
    acted = pending_actions.perform(request, token=done.token)
    url = acted.url or redirects.requested_next(request)
    if done.is_new:
        url = _welcome_url(url)
    if done.is_back:
        messages.success(request, _("Welcome back. Your account stays, with all that was in it."))
    response = HttpResponseClientRedirect(url) if is_htmx(request) else redirect(url)
    cookies.write_token(response, done.token)
    pending_actions.mark_done(response, acted)
    return response


def _welcome_url(next_path: str) -> str:
    """Where a first log-in leads: to the welcome and then to `next_path`, or to an exempt page at once."""
    if _is_exempt(next_path):
        return next_path
    return f"{reverse('accounts:welcome')}?{urlencode({'next': next_path})}"


def _is_exempt(path: str) -> bool:
    """Whether a path, perhaps with a query, belongs to an app of settings.WELCOME_EXEMPT_APPS."""
    try:
        return resolve(path.partition("?")[0]).app_name in settings.WELCOME_EXEMPT_APPS
    except Resolver404:
        return False


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest) -> HttpResponse:
    """Name, picture and city after a first log-in; every way out leads to the page that was wanted."""
    user, next_path = auth.require_user(request), redirects.requested_next(request)
    form = ProfileForm(request.POST or None, request.FILES or None, instance=user)
    del form.fields["bio"], form.fields["without_picture"], form.fields["shows_all_cities"]
    if request.method == "POST" and form.is_valid():
        editing.update_profile(user, **form.cleaned_data)
        return redirect(next_path)
    if form.errors:
        user.refresh_from_db()
    about = {"form": form, "next": next_path}
    return render(request, "accounts/welcome.html", about, status=form.status if form.errors else 200)


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Log this browser out."""
    tokens.log_out(cookies.read_token(request))
    messages.success(request, _("You are logged out."))
    response = redirect("/")
    cookies.clear_token(response)
    return response


@never_cache
@login_required
@require_GET
def profile(request: HttpRequest) -> HttpResponse:
    """The user's own page."""
    user = auth.require_user(request)
    on = {"passkeys": settings.LOGIN_PASSKEYS, "log_in_email": settings.LOGIN_EMAIL}
    about = {"counts": profile_counts.read_all(user)} | on
    return render(request, "accounts/profile.html", about)


@require_GET
@shared_page
def person(request: HttpRequest, person_id: int) -> HttpResponse:
    """A user's page as everybody may see it."""
    found = access.person(person_id)
    about = {"person": found, "counts": profile_counts.read_all(found)}
    return render(request, "accounts/person.html", about | {"metadata": _describe(found)})


def _describe(person: User) -> PageMetadata:
    """What a person's page says of itself to previews."""
    standard = _("%(name)s on %(site)s: notes about shops, and the people around them.")
    return PageMetadata(
        title=person.nickname,
        description=person.bio or standard % {"name": person.nickname, "site": settings.SITE_NAME},
        image=person.avatar.url if person.avatar else "",
        kind="profile",
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit_profile(request: HttpRequest) -> HttpResponse:
    """The form of the user's profile."""
    user = auth.require_user(request)
    form = ProfileForm(request.POST or None, request.FILES or None, instance=user)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            editing.update_profile(user, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("accounts:profile")
    if form.errors:
        # The form has written the refused values into the instance; the page shows who they still are.
        user.refresh_from_db()
    return _render_form(request, form)


def _render_form(request: HttpRequest, form: ProfileForm) -> HttpResponse:
    answer = render(request, "accounts/edit.html", {"form": form}, status=form.status if form.errors else 200)
    if form.retry_after:
        answer["Retry-After"] = str(form.retry_after)
    return answer


@never_cache
@login_required
@require_GET
def sessions(request: HttpRequest) -> HttpResponse:
    """The user's log-ins."""
    rows = tokens.list_sessions(auth.require_user(request), current=auth.require_login(request).token_id)
    return render(request, "accounts/sessions.html", {"sessions": rows})


@login_required
@require_POST
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """End one log-in."""
    tokens.revoke_one(auth.require_user(request).pk, token_id=session_id)
    messages.success(request, _("That device is logged out."))
    return redirect("accounts:sessions")


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def end_all_sessions(request: HttpRequest) -> HttpResponse:
    """Ask for confirmation (GET), then log out everywhere (POST)."""
    if request.method == "GET":
        return render(request, "accounts/end_all.html")
    tokens.revoke_all(auth.require_user(request).pk)
    messages.success(request, _("You are logged out everywhere."))
    response = redirect("/")
    cookies.clear_token(response)
    return response


@files.public_picture
@require_GET
def avatar(request: HttpRequest, name: str) -> HttpResponseBase:
    """A person's picture, in a `width` if one is named; its name changes with it."""
    return uploads.respond(request, "avatars", name)
