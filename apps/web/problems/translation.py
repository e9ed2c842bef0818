"""Translates exceptions into problems: one table for API and pages."""

import logging
import re
from collections.abc import Sequence

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.core.exceptions import ValidationError as FieldErrors
from django.db import DataError, InterfaceError, InternalError, OperationalError
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from ninja.errors import HttpError, ValidationError

from apps.redis_kit import cache, client
from apps.web.problems.problem import Problem

#: Seconds after which a person may try again when Redis, SQL or the storage did not answer.
BUSY_RETRY_SECONDS = 2
CODES_BY_STATUS = {
    400: "invalid",
    401: "not_logged_in",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_encoding",
    429: "too_many_requests",
    503: "busy",
}
UNREADABLE_ERRORS = (SuspiciousOperation, BadRequest, MultiPartParserError, UnreadablePostError, DataError)
#: SQL is away, locked, full, read-only (PostgreSQL: InternalError), or chose this transaction in a deadlock:
#: the same work succeeds later.
SQL_UNAVAILABLE = (OperationalError, InterfaceError, InternalError)
#: How pydantic names one of several kinds of a value, such as "int" or "function-before[...]".
_KIND_OF_VALUE = re.compile(r"str|int|float|bool|none|constrained-\w+|[a-z-]+\[.*\]")
logger = logging.getLogger(__name__)


class StorageUnavailable(ConnectionError):
    """The storage of pictures did not answer, or refused: the same work may succeed later."""


#: SQL, Redis or the storage did not answer.
STORE_ERRORS = (*client.UNAVAILABLE, *SQL_UNAVAILABLE, StorageUnavailable, cache.Busy)


def translate(error: BaseException) -> Problem:
    """The problem of an exception; an unexpected one becomes a 500 without details."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HttpError):
        return _from_ninja(error)
    if isinstance(error, ValidationError):
        return from_schema_errors(error)
    if isinstance(error, FieldErrors):
        return from_field_errors(error)
    return (
        _from_django(error)
        or _from_stores(error)
        or Problem(500, "error", _("Something went wrong on our side."))
    )


def from_status(status: int) -> Problem:
    """The problem for an HTTP status without an exception."""
    return Problem(
        status, CODES_BY_STATUS.get(status, "error" if status >= 500 else "refused"), _sentence(status)
    )


def is_foreseen(error: BaseException) -> bool:
    """Whether the exception is a documented refusal and not a bug."""
    return translate(error).status != 500 or isinstance(error, Problem)


def from_schema_errors(error: ValidationError) -> Problem:
    """Problem 422 with the fields that failed and why, without the values sent."""
    fields = [{"field": _field_path(found["loc"]), "message": str(found["msg"])} for found in error.errors]
    return Problem(422, "invalid", _("Some fields are not right."), errors=fields)


def _field_path(place: Sequence[str | int]) -> str:
    # ("body", the endpoint's argument name, "phone"), ("query", "size") or, of a model, ("query", the
    # argument's name, "type"): that name is internal, as is the kind of value that was tried of several.
    source, *path = place
    while len(path) > 1 and _KIND_OF_VALUE.fullmatch(str(path[-1])):
        path.pop()
    if source == "body":
        named = path[1:]
    else:
        names = [number for number, part in enumerate(path) if isinstance(part, str)]
        named = path[names[-1] :] if names else path
    return ".".join(str(part) for part in named) or str(source)


def stale_form_text() -> str:
    """The message for a form whose CSRF token is missing or old."""
    return _("This form is out of date. Go back, reload the page and try again.")


def from_field_errors(error: FieldErrors) -> Problem:
    """Problem 422 with the model fields that failed and why."""
    by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    fields = [{"field": name, "message": message} for name in by_field for message in by_field[name]]
    return Problem(422, "invalid", _("Some fields are not right."), errors=fields)


def _from_ninja(error: HttpError) -> Problem:
    # Ninja wraps the parser's Problem, whose text is better than ninja's.
    if isinstance(error.__cause__, Problem):
        return error.__cause__
    if error.status_code == 400:
        return Problem(400, "invalid", error.message)
    return from_status(error.status_code)


def _from_django(error: BaseException) -> Problem | None:
    if isinstance(error, Http404):
        return from_status(404)
    if isinstance(error, PermissionDenied):
        return from_status(403)
    if isinstance(error, RequestDataTooBig):
        return from_status(413)
    return from_status(400) if isinstance(error, UNREADABLE_ERRORS) else None


def _from_stores(error: BaseException) -> Problem | None:
    if isinstance(error, STORE_ERRORS):
        logger.warning("a store did not answer: %s: %s", type(error).__name__, error)
        return Problem(503, "busy", _sentence(503), retry_after=BUSY_RETRY_SECONDS)
    return None


def _sentence(status: int) -> str:
    return {
        400: _("We can't read this request."),
        401: _("Log in first."),
        403: _("You may not do this."),
        404: _("There is nothing here."),
        405: _("This address does not take that method."),
        413: _("That is too large."),
        503: _("We are busy right now. Try again in a moment."),
    }.get(status, "")
