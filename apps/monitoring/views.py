"""/healthz and /readyz for load balancers."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring import health


@require_safe
@never_cache
def alive(_request: HttpRequest) -> JsonResponse:
    """200 while the process answers; checks nothing else."""
    return JsonResponse({"status": "alive"})


@require_safe
@never_cache
def ready(_request: HttpRequest) -> JsonResponse:
    """Whether requests can be served: 200 or 503, each check with its milliseconds, within a second.

    `status` is ready, degraded (200: pages and sales work, `degraded` names what doesn't) or unavailable.
    """
    answers = health.run_checks()
    status = health.verdict(answers)
    degraded = [answer.name for answer in answers if not (answer.needed or answer.result.ok)]
    checks = {answer.name: _check_json(answer) for answer in answers}
    body = {"status": status, "degraded": degraded, "checks": checks}
    return JsonResponse(body, status=503 if status == "unavailable" else 200)


def _check_json(answer: health.CheckAnswer) -> dict[str, object]:
    result = answer.result
    return {"ok": result.ok, "detail": result.detail, "ms": round(answer.milliseconds, 2)}
