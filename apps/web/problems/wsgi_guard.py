"""WSGI middleware that keeps unusable charsets from crashing Django."""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils.http import parse_header_parameters

from apps.web.problems.middleware import TEXT_ENCODINGS

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]


def guard_charset(application: Application) -> Application:
    """The application, wrapped: charsets that would crash Django while it builds the request are renamed.

    Python knows "hex" and "rot13" as codecs, but they decode no text: a LookupError outside all middleware,
    at which the web server would answer a bare 500.
    Django accepts the unknown new name, and ProblemMiddleware refuses it with 415.
    """

    def call(environ: Environ, start_response: Any) -> Iterable[bytes]:
        content_type = environ.get("CONTENT_TYPE") or ""
        if "charset" in content_type.lower():
            kind, parameters = parse_header_parameters(content_type)
            if parameters.get("charset", "").lower() not in TEXT_ENCODINGS:
                environ["CONTENT_TYPE"] = f"{kind}; charset=x-refused"
        return application(environ, start_response)

    return call
