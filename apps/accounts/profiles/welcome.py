"""The one step after a first log-in: name, picture and city. Whoever came for a sale is not held up by it."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import auth, redirects
from apps.accounts.profiles import editing
from apps.accounts.profiles.forms import ProfileForm


def url_for(next_path: str) -> str:
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
    """The form; every way out of it leads to the page that the person wanted."""
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
