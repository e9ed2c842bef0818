"""The dashboard's own refresh, and the search field of the sidebar."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.adminkit import finding


@require_safe
@never_cache
def dashboard_panels(request: HttpRequest) -> HttpResponse:
    """The HTML of the dashboard's panels alone."""
    return render(request, "admin/_panels.html")


@require_safe
@never_cache
def find(request: HttpRequest) -> HttpResponse:
    """The HTML of what fits the term `s`."""
    term = request.GET.get("s", "").strip()
    found = finding.find(request, term)
    return render(request, "admin/_found.html", {"found": found, "term": term[: finding.MAX_TERM_LENGTH]})
