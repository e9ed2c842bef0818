"""Says of what will go that it will, in the document and in answers (RFC 9745)."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja.decorators import decorate_view
from ninja.operation import Operation
from ninja.utils import contribute_operation_callback

Run = Callable[..., HttpResponseBase]
View = TypeVar("View", bound=Callable[..., Any])
#: Of an operation in the making: what of it is deprecated.
KEY = "x-deprecates"
#: Where people read how to move.
DOCUMENTATION_URL = "/api/docs"


@dataclass(frozen=True)
class Deprecated:
    """Parameters and members of the answer that will go, since when, and what to use instead."""

    since: date
    instead: str
    parameters: Sequence[str] = ()
    members: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """For the description of each."""
        return f"deprecated since {self.since}: use `{self.instead}`"


def deprecates(
    *,
    since: date,
    instead: str,
    parameters: Sequence[str] = (),
    members: Sequence[str] = (),
    without: Sequence[str] = (),
) -> Callable[[View], View]:
    """Mark parameters and members of an endpoint as deprecated, and so the requests that send one of them.

    Requests `without` any of some parameters are deprecated too: these get an answer of the old form.
    """
    moment = datetime.combine(since, time(), UTC)
    headers = {
        "Deprecation": f"@{int(moment.timestamp())}",
        "Link": f'<{DOCUMENTATION_URL}>; rel="deprecation"; type="text/html"',
    }

    def decorate(run: Run) -> Run:
        @functools.wraps(run)
        def answer(request: HttpRequest, **values: Any) -> HttpResponseBase:
            response, sent = run(request, **values), request.GET.keys()
            if not sent.isdisjoint(parameters) or (without and sent.isdisjoint(without)):
                for name, value in headers.items():
                    response[name] = value
            return response

        return answer

    def document(operation: Operation) -> None:
        found = Deprecated(since, instead, parameters, members)
        operation.openapi_extra = (operation.openapi_extra or {}) | {KEY: found}

    def mark(view: View) -> View:
        contribute_operation_callback(view, document)
        return decorate_view(decorate)(view)

    return mark
