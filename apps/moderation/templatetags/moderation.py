"""What the dashboard shows of reports: `{% load moderation %}`."""

from typing import Any

from django import template
from django.http import HttpRequest

from apps.adminkit.panels import dashboard_panel
from apps.moderation import monitoring_hooks

register = template.Library()


@dashboard_panel(
    register, "admin/moderation/panels/reports.html", permission="moderation.view_case", needs_redis=False
)
def open_reports(_request: HttpRequest) -> dict[str, Any]:
    """`{% open_reports %}`: how many cases are open, and since when the oldest waits."""
    return monitoring_hooks.count_open()
