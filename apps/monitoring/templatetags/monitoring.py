"""The dashboard's panels about health, memory and Redis: `{% load monitoring %}`."""

from typing import Any

from django import template
from django.http import HttpRequest

from apps.adminkit.panels import dashboard_panel
from apps.monitoring import health, memory, redis_facts

register = template.Library()
VIEW_PERMISSION = "monitoring.view_redis"
#: Key families that the memory panel lists, largest first.
MAX_MEMORY_ROWS = 8


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
