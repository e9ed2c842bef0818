"""The dashboard's panels about health, memory and Redis."""

from typing import Any

from django.http import HttpRequest

from apps.adminkit import panels
from apps.adminkit.panels import Panel
from apps.monitoring import health, memory, redis_facts

VIEW_PERMISSION = "monitoring.view_redis"
#: Key families that the memory panel lists, largest first.
MAX_MEMORY_ROWS = 8


def health_context(_request: HttpRequest) -> dict[str, Any]:
    answers = health.run_checks()
    return {"answers": answers, "well": all(answer.result.ok for answer in answers)}


def memory_context(_request: HttpRequest) -> dict[str, Any]:
    report = memory.newest_report()
    return {"report": report, "rows": [row for row in report.rows if row.keys][:MAX_MEMORY_ROWS]}


def redis_context(_request: HttpRequest) -> dict[str, Any]:
    return {"facts": redis_facts.read_facts()}


def register() -> None:
    """Add these panels to the dashboard; called when the app is ready."""
    folder = "admin/monitoring/panels"
    well = Panel(f"{folder}/health.html", health_context, VIEW_PERMISSION, needs_redis=False)
    panels.register(well, order=80)
    panels.register(Panel(f"{folder}/memory.html", memory_context, VIEW_PERMISSION), order=90)
    panels.register(Panel(f"{folder}/redis.html", redis_context, VIEW_PERMISSION), order=95)
