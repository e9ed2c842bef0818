"""What the notes' app tells the monitoring: visits on the dashboard, since it knows what was visited."""

from apps.blog import audience
from apps.monitoring import panels

MAY_SEE = "uv.view_dailyvisits"


def register() -> None:
    """Called when the app is ready."""
    template = "admin/visitors/panel.html"
    panels.register(55, template, audience.panel, permission=MAY_SEE, needs_redis=False)
