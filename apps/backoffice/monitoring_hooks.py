"""Registers the visitors' panel on the admin's dashboard."""

from apps.adminkit import panels
from apps.backoffice import visitors

VIEW_PERMISSION = "uv.view_dailyvisits"


def register() -> None:
    """Register the panel; called once when the app is ready."""
    template = "backoffice/_visitors_panel.html"
    panels.register(55, template, visitors.dashboard_context, permission=VIEW_PERMISSION, needs_redis=False)
