"""Shows and clears the list of recently viewed shops and notes."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.blog.display import viewed
from apps.uv import recent
from apps.web import htmx


@require_GET
@never_cache
def show_recent(request: HttpRequest) -> HttpResponse:
    """Render the home page's panel of what this person or browser viewed."""
    items = viewed.recent_items(recent.request_owner(request))
    return render(request, "blog/_recently_viewed.html", {"items": items})


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
