from typing import Any

from django.http import HttpRequest

from apps.adminkit import panels

#: Seconds between two looks of an open dashboard.
REFRESH_SECONDS = 10


def context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's dashboard callback: the index page's context with every panel in it."""
    return context | {"panels": panels.render_all(request), "refresh": REFRESH_SECONDS}
