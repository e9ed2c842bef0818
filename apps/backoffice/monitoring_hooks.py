"""Registers panels on the admin's dashboard: the visitors, and that the site is closed."""

from typing import Any

from django.http import HttpRequest

from apps.adminkit import panels
from apps.backoffice import visitors
from apps.siteconfig.maintenance.switch import switch

VIEW_PERMISSION = "uv.view_dailyvisits"


def maintenance_context(_request: HttpRequest) -> dict[str, Any]:
    return {"closed": switch.closed}


def register() -> None:
    """Register the panels; called once when the app is ready."""
    template = "backoffice/_visitors_panel.html"
    panel = panels.Panel(template, visitors.dashboard_context, VIEW_PERMISSION, needs_redis=False)
    panels.register(panel, order=55)
    # First, so that nobody forgets to open the site.
    closed = panels.Panel("admin/siteconfig/panel.html", maintenance_context, needs_redis=False)
    panels.register(closed, order=0)
