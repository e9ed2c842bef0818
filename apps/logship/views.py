"""The admin's page of access logs."""

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.logship import report

VIEW_PERMISSION = "logship.view_cityvisits"


@permission_required(VIEW_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def show_visits(request: HttpRequest) -> HttpResponse:
    """Visits per city and day, and the slowest paths."""
    context = admin.site.each_context(request) | {"title": _("Cities and paths")} | report.page_context()
    return render(request, "admin/logship/visits.html", context)
