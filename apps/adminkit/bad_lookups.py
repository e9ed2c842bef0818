"""Answers what no look-up of the admin can be made of: a number that no database holds, a text for an id."""

import traceback

from django.core.exceptions import ValidationError
from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from apps.web.problems import error_pages, translation

ADMIN_ROOT = "/admin/"
#: Where Django and its database drivers turn a value into one of a column.
_LOOKUP_MODULES = (
    *("django.db.models.", "django.db.backends.", "django.utils.dateparse", "django.utils.timezone"),
    "uuid",
)


class BadLookupMiddleware(MiddlewareMixin):
    """400 for an address or a form of the admin whose values no look-up or form field can take."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not request.path_info.startswith(ADMIN_ROOT):
            return None
        if not (is_bad_lookup(error) or (_is_prefilled(request) and is_bad_value(error))):
            return None
        return error_pages.respond(request, translation.from_status(400))


def is_bad_lookup(error: Exception) -> bool:
    """Whether a database, or the code that prepares values for it, refused a value; no other bug."""
    if isinstance(error, DataError):
        return True
    is_refusal = isinstance(error, (ValueError, OverflowError, TypeError, ValidationError))
    return is_refusal and _innermost_module(error).startswith(_LOOKUP_MODULES)


def is_bad_value(error: Exception) -> bool:
    """Whether Django's own code was given a text for a value of another type."""
    is_refusal = isinstance(error, (ValueError, OverflowError, TypeError, ValidationError, AttributeError))
    return is_refusal and _innermost_module(error).startswith("django.")


def _is_prefilled(request: HttpRequest) -> bool:
    """Whether the address gives a blank form its first values, which no form has cleaned."""
    return request.method == "GET" and request.path_info.endswith("/add/") and bool(request.GET)


def _innermost_module(error: Exception) -> str:
    """The name of the module that raised the error, or called what did."""
    name = ""
    for frame, _line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
    return name
