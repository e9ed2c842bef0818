"""Makes a ninja API answer errors with problems."""

import logging
from typing import Any

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, AuthorizationError, HttpError, ValidationError
from pydantic_core import to_json

from apps.web.problems import translation
from apps.web.problems.parsing import StrictParser

logger = logging.getLogger(__name__)


def install(api: NinjaAPI) -> None:
    """Make an API answer every error as `application/problem+json`, and parse bodies strictly."""
    api.parser = StrictParser()
    # Ninja looks for a handler along an exception's base classes: each of its own must be replaced.
    for kind in (Exception, Http404, HttpError, AuthenticationError, AuthorizationError, ValidationError):
        api.add_exception_handler(kind, respond_to_error)


def unchecked_response(data: Any) -> HttpResponse:
    """A JSON response without validation by its schema, which costs more than building a long list."""
    return HttpResponse(to_json(data), content_type="application/json; charset=utf-8")


def respond_to_error(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """The JSON response to an exception; logs a bug or a SQL fault with its traceback."""
    error = error if isinstance(error, Exception) else error()
    if not translation.is_foreseen(error) or isinstance(error, OperationalError):
        logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return translation.translate(error).as_json()
