from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.monitoring import health, panels


@require_safe
@never_cache
def alive(_request: HttpRequest) -> JsonResponse:
    """The process answers; nothing else is asked."""
    return JsonResponse({"status": "alive"})


@require_safe
@never_cache
def ready(_request: HttpRequest) -> JsonResponse:
    """Whether requests can be served: 200 or 503, each check with its milliseconds, within a second.

    `status` is ready, degraded (200: pages and sales work, `degraded` names what doesn't) or unavailable.
    """
    answers = health.run()
    status = health.verdict(answers)
    degraded = [answer.name for answer in answers if not (answer.needed or answer.result.ok)]
    checks = {answer.name: _said(answer) for answer in answers}
    told = {"status": status, "degraded": degraded, "checks": checks}
    return JsonResponse(told, status=503 if status == "unavailable" else 200)


def _said(answer: health.Answer) -> dict[str, object]:
    result = answer.result
    return {"ok": result.ok, "detail": result.detail, "ms": round(answer.milliseconds, 2)}


@require_safe
@never_cache
def dashboard(request: HttpRequest) -> HttpResponse:
    """The dashboard's panels alone, for its own refresh."""
    return render(request, "monitoring/_panels.html", {"panels": panels.rendered(request)})
