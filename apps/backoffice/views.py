"""The admin's visitors page."""

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.backoffice import visitors


@permission_required(visitors.VIEW_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def visitors_page(request: HttpRequest) -> HttpResponse:
    """Render the visitors page: visitors and page views by day, kind of page, shop and note."""
    context = admin.site.each_context(request) | {"title": _("Visitors")} | visitors.page_context()
    return render(request, "backoffice/visitors.html", context)
