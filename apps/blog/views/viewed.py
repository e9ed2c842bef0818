import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from apps.uv import recent


@require_POST
@never_cache
def clear_recent(request: HttpRequest) -> HttpResponse:
    """Forget what this person, or this browser, looked at; 503 while Redis is away."""
    recent.clear(recent.request_owner(request))
    done = _("What you looked at is forgotten.")
    if "HX-Request" in request.headers:
        toast = json.dumps({"toast": {"text": done, "level": "success"}})
        return HttpResponse(headers={"HX-Trigger": toast})
    messages.success(request, done)
    return redirect("home")
