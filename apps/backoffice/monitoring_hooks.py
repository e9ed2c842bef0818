"""What the notes' app tells the monitoring: visits on the dashboard, since it knows what was visited."""

from apps.adminkit import panels
from apps.backoffice import visitors

VIEW_PERMISSION = "uv.view_dailyvisits"


def register() -> None:
    """Called when the app is ready."""
    template = "backoffice/_visitors_panel.html"
    panels.register(55, template, visitors.dashboard_context, permission=VIEW_PERMISSION, needs_redis=False)
