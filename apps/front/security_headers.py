"""Headers that tell browsers and proxies what they may do with an answer, beside Django's and the CSP."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.web.body_limits import API_ROOT

#: What no page of this site asks for is refused to every script in it; "near me" asks for the position.
PERMISSIONS_POLICY = ", ".join(
    ["geolocation=(self)"]
    + [
        f"{feature}=()"
        for feature in (
            *("accelerometer", "camera", "display-capture", "gyroscope", "hid", "magnetometer"),
            *("microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"),
        )
    ]
)
#: An answer of the API that says nothing else is for who asked, and stays in no cache.
API_CACHE_CONTROL = "private, no-store"


def allow_camera(response: HttpResponse) -> HttpResponse:
    """The page's answer, whose own scripts may ask the person for the camera."""
    response["Permissions-Policy"] = PERMISSIONS_POLICY.replace("camera=()", "camera=(self)")
    return response


class SecurityHeadersMiddleware:
    """Adds Cross-Origin-Resource-Policy, a page's Permissions-Policy, and Cache-Control of the API.

    A picture below MEDIA_URL is the same for everybody, whatever inner middleware says it depends on.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        headers = response.headers
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if headers.get("Content-Type", "").startswith("text/html"):
            headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        if request.path_info.startswith(API_ROOT):
            headers.setdefault("Cache-Control", API_CACHE_CONTROL)
        if request.path_info.startswith(settings.MEDIA_URL) and response.status_code < 400:
            headers.pop("Vary", None)
        return response
