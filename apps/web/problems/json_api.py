"""Makes a ninja API answer errors with problems."""

import functools
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from http import HTTPStatus
from math import ceil
from typing import Any, TypeVar

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.decorators import decorate_view
from ninja.errors import AuthenticationError, AuthorizationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.renderers import JSONRenderer
from ninja.utils import contribute_operation_callback
from pydantic_core import to_json

from apps.redis_kit import limiter
from apps.web import request_origin
from apps.web.problems import api_document, translation
from apps.web.problems.parsing import StrictParser
from apps.web.problems.problem import Problem

Run = Callable[..., HttpResponseBase]
View = TypeVar("View", bound=Callable[..., Any])
_NOT_MODIFIED = {304: {"description": "Not Modified: the ETag of If-None-Match is still that of the answer"}}
#: Of unknown parameters so many are named, each with so many letters.
MAX_NAMES, MAX_NAME_LENGTH = 10, 50
logger = logging.getLogger(__name__)


class ProblemAPI(NinjaAPI):
    """An API that answers every error as `application/problem+json`, says so, and parses bodies strictly."""

    def __init__(
        self,
        *,
        security: api_document.Security,
        examples: api_document.Examples,
        members: Mapping[str, str],
        **options: Any,
    ) -> None:
        super().__init__(parser=StrictParser(), renderer=_Renderer(), **options)
        self._security, self._examples, self._members = security, examples, members
        # Ninja looks for a handler along an exception's base classes: each of its own must be replaced.
        for kind in (Exception, Http404, HttpError, AuthenticationError, AuthorizationError, ValidationError):
            self.add_exception_handler(kind, respond_to_error)
        self.add_decorator(_refuse_unknown_parameters, mode="view")
        self.add_decorator(_name_limits, mode="view")

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**options)
        api_document.complete(
            document, security=self._security, examples=self._examples, members=self._members
        )
        return document


class _Renderer(JSONRenderer):
    """Writes answers with whole addresses."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        written: str = super().render(request, data, response_status=response_status)
        return request_origin.complete_addresses(written.encode(), request_origin.read(request))


def _refuse_unknown_parameters(run: Run) -> Run:
    """Have an operation refuse query parameters that it doesn't declare: a slip would go unnoticed."""
    operation: Operation = inspect.unwrap(run).__self__
    queries = [model for model in operation.models if model.__ninja_param_source__ == "query"]
    declared = frozenset(name for model in queries for name in model.__ninja_flatten_map__)

    @functools.wraps(run)
    def answer(request: HttpRequest, **values: Any) -> HttpResponseBase:
        unknown = request.GET.keys() - declared
        return respond_to_error(request, _unknown_parameters(unknown)) if unknown else run(request, **values)

    return answer


def _unknown_parameters(names: Iterable[str]) -> Problem:
    shortened = [name[:MAX_NAME_LENGTH] for name in sorted(names)[:MAX_NAMES]]
    fields = [{"field": name, "message": _("There is no such parameter.")} for name in shortened]
    return Problem(422, "invalid", _("Some fields are not right."), errors=fields)


def _name_limits(run: Run) -> Run:
    """Have an operation's answer name the limits that counted it.

    Source: draft-ietf-httpapi-ratelimit-headers-10: q hits in w seconds; r are left; t seconds to wait.
    """

    @functools.wraps(run)
    def answer(request: HttpRequest, **values: Any) -> HttpResponseBase:
        with limiter.watch() as counts:
            response = run(request, **values)
        if counts:
            response["RateLimit-Policy"] = ", ".join(
                f'"{limit.family}.{limit.name}";q={limit.allowed};w={ceil(limit.period.total_seconds())}'
                for limit, _left, _wait in counts
            )
            response["RateLimit"] = ", ".join(
                f'"{limit.family}.{limit.name}";r={left}' + (f";t={wait}" if wait else "")
                for limit, left, wait in counts
            )
        return response

    return answer


def public(*, seconds: int) -> Callable[[View], View]:
    """Mark an endpoint that answers everybody alike: kept for so long, and not sent again to who has it.

        @router.get("/shops", …)
        @json_api.public(seconds=10)

    A request with cookies may be in the language of one of them: its answer stays with its browser.
    """

    def decorate(run: Run) -> Run:
        @functools.wraps(run)
        def answer(request: HttpRequest, **values: Any) -> HttpResponseBase:
            response = run(request, **values)
            if response.status_code != HTTPStatus.OK or not isinstance(response, HttpResponse):
                return response
            scope = "private" if request.COOKIES else "public"
            etag = f'W/"{blake2b(response.content, digest_size=12).hexdigest()}"'
            response["Cache-Control"], response["ETag"] = f"{scope}, max-age={seconds}", etag
            return get_conditional_response(request, etag=etag, response=response) or response

        return answer

    def mark(view: View) -> View:
        contribute_operation_callback(view, _document_not_modified)
        return decorate_view(decorate)(view)

    return mark


def _document_not_modified(operation: Operation) -> None:
    extra = operation.openapi_extra or {}
    operation.openapi_extra = extra | {"responses": extra.get("responses", {}) | _NOT_MODIFIED}


def unchecked_response(
    request: HttpRequest, data: Any, *, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """A JSON response without validation by its schema, which costs more than building a long list."""
    body = request_origin.complete_addresses(to_json(data), request_origin.read(request))
    return HttpResponse(body, content_type="application/json; charset=utf-8", headers=headers)


def respond_to_error(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """The JSON response to an exception; logs a bug or a SQL fault with its traceback."""
    error = error if isinstance(error, Exception) else error()
    if not translation.is_foreseen(error) or isinstance(error, translation.SQL_UNAVAILABLE):
        logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return translation.translate(error).as_json()
