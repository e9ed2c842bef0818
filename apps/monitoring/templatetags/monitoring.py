"""Panels about health, memory and Redis, and what a time would lose: `{% load monitoring %}`."""

from math import ceil
from typing import Any

from django import template
from django.http import HttpRequest

from apps.adminkit.panels import dashboard_panel
from apps.monitoring import health, memory, redis_facts

register = template.Library()
VIEW_PERMISSION = "monitoring.view_redis"
#: Key families that the memory panel lists, largest first.
MAX_MEMORY_ROWS = 8
HOUR_SECONDS = 3_600


@dashboard_panel(
    register, "admin/monitoring/panels/health.html", permission=VIEW_PERMISSION, needs_redis=False
)
def health_panel(_request: HttpRequest) -> dict[str, Any]:
    answers = health.run_checks()
    return {"answers": answers, "well": all(answer.result.ok for answer in answers)}


@dashboard_panel(register, "admin/monitoring/panels/memory.html", permission=VIEW_PERMISSION)
def memory_panel(_request: HttpRequest) -> dict[str, Any]:
    report = memory.newest_report()
    return {"report": report, "rows": [row for row in report.rows if row.keys][:MAX_MEMORY_ROWS]}


@dashboard_panel(register, "admin/monitoring/panels/redis.html", permission=VIEW_PERMISSION)
def redis_panel(_request: HttpRequest) -> dict[str, Any]:
    return {"facts": redis_facts.read_facts()}


@register.filter
def lost_in(an_hour: int, seconds: float) -> int:
    """`{{ orders|lost_in:seconds }}`: how many of what comes in an hour come in these seconds, at most."""
    return ceil(an_hour * seconds / HOUR_SECONDS)
