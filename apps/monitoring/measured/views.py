"""The admin's pages of what the site measures: activity, the slowest, the log."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring.measured import activity, log_page, slowest

#: Of the slowest; a phone draws each as a card.
PAGE_ROWS = 20
_may_see = permission_required("monitoring.view_metrics", raise_exception=True)


@_may_see
@require_safe
@never_cache
def show_activity(request: HttpRequest) -> HttpResponse:
    """Charts of a period."""
    period = activity.choose_period(request.GET.get("period", ""))
    return _render(request, "activity", _("Activity"), activity.context(period))


@_may_see
@require_safe
@never_cache
def show_charts(request: HttpRequest) -> HttpResponse:
    """The charts alone, for the page's refresh."""
    period = activity.choose_period(request.GET.get("period", ""))
    return render(request, "admin/monitoring/_charts.html", activity.context(period))


@_may_see
@require_safe
@never_cache
def show_slowest(request: HttpRequest) -> HttpResponse:
    """The slowest by mean or by the 99th percentile."""
    context = slowest.context(request.GET.get("by", ""))
    pages = Paginator(context.get("rows", ()), PAGE_ROWS)
    page = pages.get_page(request.GET.get("page"))
    return _render(request, "slowest", _("Slowest"), context | {"page": page, "rows": page.object_list})


@_may_see
@require_safe
@never_cache
def show_log(request: HttpRequest) -> HttpResponse:
    """Log lines of a severity and logger, and the most common messages."""
    context = log_page.context(request.GET.get("severity", ""), request.GET.get("logger", ""))
    return _render(request, "log", _("Log"), context | {"is_demo": settings.DEMO})


def _render(request: HttpRequest, name: str, title: str, page: dict[str, Any]) -> HttpResponse:
    context = admin.site.each_context(request) | {"title": title} | page
    return render(request, f"admin/monitoring/{name}.html", context)
