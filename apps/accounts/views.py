"""Pages of log-in, profile and sessions."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts import access, auth, human_check
from apps.accounts.codes import codes, request_cookie
from apps.accounts.forms import CodeForm, PhoneForm
from apps.accounts.login import login_responses, logins
from apps.accounts.models import AccessToken, User
from apps.accounts.pictures import files, sizes
from apps.accounts.profiles import editing, profile_counts
from apps.accounts.profiles.forms import ProfileForm
from apps.accounts.sessions import cookies, tokens
from apps.front.documents.pages import shared_page
from apps.uv import recent
from apps.web import client_address
from apps.web.page_metadata import PageMetadata


@never_cache
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """Step one of the log-in: the phone."""
    if request.method == "POST":
        return check_code(request)
    if request.user.is_authenticated:
        return redirect(login_responses.next_url(request))
    return login_responses.render_step(request, "phone", PhoneForm())


@require_POST
def send_code(request: HttpRequest) -> HttpResponse:
    """Send a code and show step two."""
    form = PhoneForm(request.POST)
    if form.is_valid():
        phone = form.cleaned_data["phone"]
        with form.show_refusals():
            holder, ip = codes.new_request(), client_address.client_ip(request)
            human_check.require(human_check.read_proof(request.POST), ip=ip)
            code = codes.send(phone, ip=ip, holder=holder)
            form, debug_code = CodeForm(initial={"phone": phone}), code if settings.DEMO else ""
            response = login_responses.render_step(request, "code", form, debug_code=debug_code)
            request_cookie.write(response, holder)
            return response
    return login_responses.render_step(request, "phone", form)


def check_code(request: HttpRequest) -> HttpResponse:
    """Step two of the log-in: check the code and log in."""
    form = CodeForm(request.POST)
    if form.is_valid():
        with form.show_refusals("code"):
            device = logins.device_from_request(request, kind=AccessToken.Kind.PAGE)
            old = cookies.read_token(request)
            given = form.cleaned_data | {"request": request_cookie.read(request)}
            done = logins.log_in(**given, device=device, old_token=old)
            recent.move_to_person(request, user_id=done.user.pk)
            return login_responses.redirect_logged_in(request, done)
    return login_responses.render_step(request, "code", form, debug_code=_debug_code(request))


def _debug_code(request: HttpRequest) -> str:
    """The code that the demo's page showed before this try, while it is still good."""
    phone, code = request.POST.get("phone", ""), request.POST.get("debug_code", "")
    holder = request_cookie.read(request)
    return code if settings.DEMO and code and codes.is_pending(phone, code, holder=holder) else ""


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
    return render(request, "accounts/profile.html", {"counts": profile_counts.read_all(user)})


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
    return sizes.respond(request, "avatars", name)
