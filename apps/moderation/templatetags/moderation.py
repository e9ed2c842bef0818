"""What the dashboard shows of reports: `{% load moderation %}`."""

from typing import Any

from django import template
from django.http import HttpRequest

from apps.adminkit.panels import dashboard_panel
from apps.moderation import monitoring_hooks, queue

register = template.Library()

MAX_ROWS = 5


@dashboard_panel(
    register, "admin/moderation/panels/reports.html", permission="moderation.view_case", needs_redis=False
)
def open_reports(_request: HttpRequest) -> dict[str, Any]:
    """`{% open_reports %}`: how many cases are open, since when the oldest waits, and the first to decide."""
    return monitoring_hooks.count_open() | {"cases": queue.list_first(MAX_ROWS)}
