"""Registers the visitors' panel on the admin's dashboard."""

from apps.adminkit import panels
from apps.backoffice import visitors

VIEW_PERMISSION = "uv.view_dailyvisits"


def register() -> None:
    """Register the panel; called once when the app is ready."""
    template = "backoffice/_visitors_panel.html"
    panel = panels.Panel(template, visitors.dashboard_context, VIEW_PERMISSION, needs_redis=False)
    panels.register(panel, order=55)
