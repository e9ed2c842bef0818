"""Clears the list of recently viewed shops and notes."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from apps.uv import recent
from apps.web import htmx


@require_POST
@never_cache
def clear_recent(request: HttpRequest) -> HttpResponse:
    """Clear the list of shops and notes that this person or browser viewed; Problem 503 without Redis."""
    recent.clear(recent.request_owner(request))
    message = _("What you looked at is forgotten.")
    if htmx.is_htmx(request):
        return htmx.toast_response(message)
    messages.success(request, message)
    return redirect("home")
