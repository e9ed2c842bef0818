"""The dashboard's own refresh."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def dashboard_panels(request: HttpRequest) -> HttpResponse:
    """The HTML of the dashboard's panels alone."""
    return render(request, "admin/_panels.html")
