"""/healthz and /readyz for load balancers."""

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring import health
from apps.redis_kit import client
from apps.web import client_address

DETAILS_PERMISSION = "monitoring.view_metrics"


@require_safe
@never_cache
def alive(_request: HttpRequest) -> JsonResponse:
    """200 while the process answers; checks nothing else."""
    return JsonResponse({"status": "alive"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Whether requests can be served: 200 "ready" or 503 "unavailable", within a second.

    Programs on this machine and staff also read the version and each check with its milliseconds; for them
    `status` may be degraded (200: pages and sales work, `degraded` names what doesn't).
    """
    answers = health.run_checks()
    status = health.verdict(answers)
    if not (client_address.is_from_this_machine(request) or _is_staff(request)):
        is_ready = status != "unavailable"
        return JsonResponse({"status": "ready" if is_ready else status}, status=200 if is_ready else 503)
    degraded = [answer.name for answer in answers if not (answer.needed or answer.result.ok)]
    checks = {answer.name: _check_json(answer) for answer in answers}
    body = {"status": status, "version": settings.VERSION, "degraded": degraded, "checks": checks}
    return JsonResponse(body, status=503 if status == "unavailable" else 200)


def _is_staff(request: HttpRequest) -> bool:
    """Whether the asking person may see the site's measurements; False while that can't be known."""
    try:
        user = request.user
        return user.is_authenticated and user.is_staff and user.has_perm(DETAILS_PERMISSION)
    except (DatabaseError, *client.UNAVAILABLE):
        return False


def _check_json(answer: health.CheckAnswer) -> dict[str, object]:
    result = answer.result
    return {"ok": result.ok, "detail": result.detail, "ms": round(answer.milliseconds, 2)}
