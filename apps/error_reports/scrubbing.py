"""What a report may hold: where an error happened, and nothing of the person it happened to."""

from typing import Any, cast

from sentry_sdk.types import Event, Hint

from apps.metrics import redaction, stderr_lines

#: What is left of a request: the address without its query, which may hold a log-in code or a position.
_REQUEST_PARTS = ("method", "url")
#: Header fields without a word of a person.
_HEADERS = ("Host", "User-Agent", "Accept", "Content-Type", "Content-Length", "Hx-Request")


def scrub(event: Event, hint: Hint) -> Event | None:
    """The report without what people wrote and who they are; None for one that is no error or not the first.

    Tokens, codes, phone numbers and passwords are taken out of every text that is left.
    """
    if _is_unwanted(hint):
        return None
    request: dict[str, Any] = cast(dict[str, Any], event.get("request") or {})
    kept = {name: request[name] for name in _REQUEST_PARTS if name in request}
    headers = {name: text for name, text in (request.get("headers") or {}).items() if name in _HEADERS}
    left_out = ("user", "breadcrumbs", "request", "extra", "modules")
    rest: dict[str, Any] = {name: value for name, value in event.items() if name not in left_out}
    if request:
        rest["request"] = kept | {"headers": headers}
    return cast(Event, _redact(rest))


def _is_unwanted(hint: Hint) -> bool:
    """Whether a stranger caused it at will, or the exception of a task was reported where it was raised."""
    error = (hint.get("exc_info") or (None, None))[1]
    if isinstance(error, stderr_lines.FORESEEN_ERRORS):
        return True
    record = hint.get("log_record")
    if record is None:
        return False
    return stderr_lines.is_foreseen(record) or getattr(record, stderr_lines.REPORTED_MARK, False)


def _redact(value: Any) -> Any:
    if isinstance(value, str):
        return redaction.redact(value)
    if isinstance(value, dict):
        return {name: _redact(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_redact(inner) for inner in value]
    return value
