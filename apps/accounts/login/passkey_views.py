"""The page of a person's passkeys: the list, one more, and one less."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.forms import PasskeyForm
from apps.accounts.login import passkeys
from apps.redis_kit import client
from apps.web import request_origin
from apps.web.problems import Problem, translation


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """The passkeys and the button for one more; POST adds what the browser has made."""
    passkeys.require_on()
    user, form = auth.require_user(request), PasskeyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            passkeys.add(
                user,
                form.cleaned_data["credential"],
                origin=request_origin.read(request),
                token_id=auth.require_login(request).token_id,
                user_agent=request.headers.get("User-Agent", ""),
            )
            messages.success(request, _("Passkey added. The next log-in needs no code."))
            return redirect("accounts:passkeys")
    about = {
        "form": form,
        "passkeys": passkeys.list_own(user),
        "has_name": bool(passkeys.find_rp_id(request.get_host())),
    }
    status = form.status if form.errors else 200
    return render(request, "accounts/passkeys.html", about, status=status)


@never_cache
@login_required
@require_POST
def options(request: HttpRequest) -> HttpResponse:
    """What the browser needs to make a passkey, as JSON."""
    passkeys.require_on()
    user, token_id = auth.require_user(request), auth.require_login(request).token_id
    try:
        return JsonResponse(passkeys.begin_adding(user, request.get_host(), token_id=token_id))
    except (Problem, *client.UNAVAILABLE) as error:
        return translation.translate(error).as_json()


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def remove(request: HttpRequest, passkey_id: int) -> HttpResponse:
    """Ask whether to remove a passkey (GET), and remove it (POST)."""
    passkeys.require_on()
    passkey = passkeys.find_own(auth.require_user(request), passkey_id)
    if request.method == "GET":
        return render(request, "accounts/remove_passkey.html", {"passkey": passkey})
    passkey.delete()
    messages.success(request, _("That passkey opens your account no more."))
    return redirect("accounts:passkeys")
