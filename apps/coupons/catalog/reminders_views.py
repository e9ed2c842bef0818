"""The form of the reminder button."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from apps.accounts import auth, redirects
from apps.coupons import limits
from apps.coupons.catalog import reminders
from apps.web import htmx
from apps.web.problems import Problem


@require_POST
@never_cache
def remind(request: HttpRequest, voucher_id: int) -> HttpResponse:
    """Set (`wanted` 1) or remove (0) a reminder, or turn it; htmx gets the button, a plain form its page."""
    user = auth.require_user(request)
    is_wanted = htmx.wants_on(
        request.POST.get("wanted"), is_on=lambda: reminders.is_wanted(voucher_id, user.pk)
    )
    try:
        limits.charge_reminder(user.pk)
        (reminders.add if is_wanted else reminders.remove)(voucher_id, user.pk)
    except Problem as why:
        return _refusal_response(request, voucher_id, why)
    if htmx.is_htmx(request):
        return HttpResponse(_render_button(request, voucher_id))
    messages.success(request, _("We will tell you.") if is_wanted else _("The reminder is removed."))
    return redirect(redirects.requested_next(request))


def _refusal_response(request: HttpRequest, voucher_id: int, why: Problem) -> HttpResponse:
    """For htmx the button with the refusal as a toast; for a plain form a redirect to its page."""
    if not htmx.is_htmx(request):
        messages.error(request, why.detail)
        return redirect(redirects.requested_next(request))
    return htmx.refusal_response(why, _render_button(request, voucher_id))


def _render_button(request: HttpRequest, voucher_id: int) -> str:
    """The reminder button; on the sale's page with the number of people who wait."""
    sale, user = reminders.get_sale(voucher_id), auth.require_user(request)
    about = {"sale": sale, "wanted": reminders.is_wanted(voucher_id, user.pk)}
    if request.POST.get("spot") == "page":
        about |= {"waiting": reminders.count_waiting(sale)}
        return render_to_string("coupons/_reminder_card.html", about, request)
    return render_to_string("coupons/_reminder_button.html", about | {"spot": "card"}, request)
