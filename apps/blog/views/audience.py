from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.blog import audience, watch


@permission_required(watch.MAY_SEE, raise_exception=True)
@require_safe
@never_cache
def visitors(request: HttpRequest) -> HttpResponse:
    """The admin's page of visits."""
    context = admin.site.each_context(request) | {"title": _("Visitors")} | audience.page()
    return render(request, "admin/visitors/page.html", context)
