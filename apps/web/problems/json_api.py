"""Makes a ninja API answer errors with problems."""

import logging
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, AuthorizationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from pydantic_core import to_json

from apps.web.problems import documented, translation
from apps.web.problems.parsing import StrictParser

logger = logging.getLogger(__name__)


class ProblemAPI(NinjaAPI):
    """An API that answers every error as `application/problem+json`, says so, and parses bodies strictly."""

    def __init__(self, **options: Any) -> None:
        super().__init__(parser=StrictParser(), **options)
        # Ninja looks for a handler along an exception's base classes: each of its own must be replaced.
        for kind in (Exception, Http404, HttpError, AuthenticationError, AuthorizationError, ValidationError):
            self.add_exception_handler(kind, respond_to_error)

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**options)
        documented.add_common_problems(document)
        return document


def unchecked_response(data: Any) -> HttpResponse:
    """A JSON response without validation by its schema, which costs more than building a long list."""
    return HttpResponse(to_json(data), content_type="application/json; charset=utf-8")


def respond_to_error(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """The JSON response to an exception; logs a bug or a SQL fault with its traceback."""
    error = error if isinstance(error, Exception) else error()
    if not translation.is_foreseen(error) or isinstance(error, translation.SQL_UNAVAILABLE):
        logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return translation.translate(error).as_json()
