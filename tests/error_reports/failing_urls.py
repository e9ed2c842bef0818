"""The site's addresses, and two of pages that fail."""

import logging
from typing import Never

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.urls import path

from config.urls import handler400, handler403, handler404, handler500
from config.urls import urlpatterns as site_urls

__all__ = ["handler400", "handler403", "handler404", "handler500"]


def fail(request: HttpRequest) -> Never:
    """Fail with a person's phone and code in the error, in its cause, and in locals."""
    token = request.COOKIES.get("savor_token", "")
    logging.getLogger(__name__).warning("before: %s", token)
    try:
        raise KeyError(f"phone +8613800138000, token={token}")
    except KeyError as error:
        raise ValueError(f"code 123456 for 13800138000 by {token}") from error


def foreseen(_request: HttpRequest) -> Never:
    raise SuspiciousOperation("any stranger can do this")


urlpatterns = [path("fails/", fail), path("foreseen/", foreseen), *site_urls]
