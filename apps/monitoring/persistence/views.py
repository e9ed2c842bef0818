"""The admin's page about what Redis keeps on disk, and what would be lost."""

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring.persistence import page_context
from apps.redis_kit import client


@permission_required("monitoring.view_redis", raise_exception=True)
@require_safe
@never_cache
def show_persistence(request: HttpRequest) -> HttpResponse:
    """Live values of the server in use, what each setting would lose here, and what it costs."""
    context = admin.site.each_context(request) | {"title": _("Persistence")}
    try:
        context |= page_context.build()
    except client.UNAVAILABLE:
        context |= {"is_away": True}
    return render(request, "admin/monitoring/persistence.html", context)
