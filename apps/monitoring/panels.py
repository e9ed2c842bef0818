"""What the dashboard shows of health, memory and Redis."""

from typing import Any

from django.http import HttpRequest

from apps.monitoring import health, memory, redis_facts


def health_context(_request: HttpRequest) -> dict[str, Any]:
    answers = health.run_checks()
    return {"answers": answers, "well": all(answer.result.ok for answer in answers)}


def memory_context(_request: HttpRequest) -> dict[str, Any]:
    report = memory.newest_report()
    return {"report": report, "rows": [row for row in report.rows if row.keys][:8]}


def redis_context(_request: HttpRequest) -> dict[str, Any]:
    return {"facts": redis_facts.read_facts()}
