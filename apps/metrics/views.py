"""/metrics for Prometheus: from this machine, or with the token of settings.METRICS_TOKEN."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.metrics import prometheus
from apps.web import client_address
from apps.web.bearer import read_bearer


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics of the site; 403 for anybody who may not read them."""
    if not (client_address.is_from_this_machine(request) or _has_token(request)):
        raise PermissionDenied
    text, content_type = prometheus.render(request.headers.get("Accept", ""))
    return HttpResponse(text, content_type=content_type)


def _has_token(request: HttpRequest) -> bool:
    token, wanted = read_bearer(request.headers.get("Authorization", "")), str(settings.METRICS_TOKEN)
    return bool(wanted) and token is not None and constant_time_compare(token, wanted)
