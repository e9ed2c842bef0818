from typing import Any

from django.http import HttpRequest

from apps.monitoring import panels

#: Seconds between two looks of an open dashboard.
REFRESH = 10


def context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's dashboard callback: the index page's context with every panel in it."""
    return context | {"panels": panels.rendered(request), "refresh": REFRESH}
