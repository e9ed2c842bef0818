"""The form of the reminder button."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from apps.accounts import auth
from apps.accounts.login import redirects
from apps.coupons import limits
from apps.coupons.catalog import reminders
from apps.web import htmx
from apps.web.problems import Problem


@require_POST
@never_cache
def remind(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """Set (`wanted` 1) or remove (0) a reminder; htmx gets the button, a plain form goes back to its page."""
    user, is_wanted = auth.require_user(request), request.POST.get("wanted") != "0"
    try:
        limits.charge_reminder(user.pk)
        (reminders.add if is_wanted else reminders.remove)(voucher_id, user.pk)
    except Problem as why:
        return _refusal_response(request, voucher_id, why)
    if htmx.is_htmx(request):
        return HttpResponse(_render_button(request, voucher_id))
    return redirect(redirects.requested_next(request))


def _refusal_response(request: HttpRequest, voucher_id: int, why: Problem) -> HttpResponse:
    """For htmx the button with the refusal as a toast; for a plain form a redirect to its page."""
    if not htmx.is_htmx(request):
        messages.error(request, why.detail)
        return redirect(redirects.requested_next(request))
    return htmx.refusal_response(why, _render_button(request, voucher_id))


def _render_button(request: HttpRequest, voucher_id: int) -> str:
    """The reminder button; on the sale's page with the number of people who wait."""
    sale = reminders.get_sale(voucher_id)
    bell = reminders.read_state(sale, auth.viewer_id(request))
    if request.POST.get("spot") == "page":
        return render_to_string("coupons/_reminder_card.html", {"sale": sale, "bell": bell}, request)
    about = {"sale": sale, "wanted": bell.wanted, "spot": "card"}
    return render_to_string("coupons/_reminder_button.html", about, request)
