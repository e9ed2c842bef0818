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
    """Whether requests can be served: 200 or 503, each check with its milliseconds, within a second."""
    answers = health.run()
    well = all(answer.result.ok for answer in answers)
    checks = {
        answer.name: {
            "ok": answer.result.ok,
            "detail": answer.result.detail,
            "ms": round(answer.milliseconds, 2),
        }
        for answer in answers
    }
    status = "ready" if well else "unavailable"
    return JsonResponse({"status": status, "checks": checks}, status=200 if well else 503)


@require_safe
@never_cache
def dashboard(request: HttpRequest) -> HttpResponse:
    """The dashboard's panels alone, for its own refresh."""
    return render(request, "monitoring/_panels.html", {"panels": panels.rendered(request)})
