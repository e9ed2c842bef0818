"""The admin's page about how the site runs: queues, failures, health and memory."""

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.adminkit import panels


@permission_required("monitoring.view_metrics", raise_exception=True)
@require_safe
@never_cache
def show_operation(request: HttpRequest) -> HttpResponse:
    """The page with its panels; each is for people with its own permission."""
    context = admin.site.each_context(request) | {"title": _("Site operation")}
    return render(request, "admin/monitoring/operation.html", context | {"refresh": panels.REFRESH_SECONDS})


@permission_required("monitoring.view_metrics", raise_exception=True)
@require_safe
@never_cache
def refresh_panels(request: HttpRequest) -> HttpResponse:
    """The HTML of the panels alone."""
    return render(request, "admin/monitoring/_operation_panels.html")
