"""A strict JSON parser for the API, and the base of its request bodies."""

import json
import re
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from ninja import Schema
from ninja.parser import Parser
from pydantic import ConfigDict

from apps.web import characters
from apps.web.problems.problem import Problem

_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.-]+\+)?json", re.IGNORECASE)


class Body(Schema):
    """The base of every request body: a member that it doesn't name is refused with 422, not ignored."""

    model_config = ConfigDict(extra="forbid")


class StrictParser(Parser):
    """Parses RFC 8259 JSON; NaN, or a NUL or lone surrogate in any text, raises Problem 400 "invalid".

    A body of another kind raises Problem 415: a form of another site may send text, but no JSON.
    """

    def parse_body(self, request: HttpRequest) -> Any:
        if request.content_type and not _JSON_TYPE.fullmatch(request.content_type):
            sentence = _("Send JSON, with the header Content-Type: application/json.")
            raise Problem(415, "unsupported_media_type", sentence)
        return parse_json(request.body)

    def parse_querydict(
        self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        if not all(_is_storable([name, *data.getlist(name)]) for name in data):
            _refuse_text()
        return super().parse_querydict(data, list_fields, request)


def parse_json(body: bytes) -> Any:
    """What a body of JSON says, by the rules of StrictParser; Problem 400."""
    try:
        found = json.loads(body, parse_constant=_refuse_constant)
        clean = _is_storable(found)
    # Deep nesting is a RecursionError and a long number a ValueError: neither is a JSONDecodeError.
    except (ValueError, RecursionError) as error:
        raise Problem(400, "invalid", _("The body is not readable JSON.")) from error
    return _to_line_feeds(found) if clean else _refuse_text()


def _to_line_feeds(value: Any) -> Any:
    """Return the value with "\n" for every line end of its texts, so that their letters count as on pages."""
    if isinstance(value, str):
        return characters.to_line_feeds(value)
    if isinstance(value, dict):
        return {name: _to_line_feeds(inner) for name, inner in value.items()}
    return [_to_line_feeds(inner) for inner in value] if isinstance(value, list) else value


def is_storable_text(value: str) -> bool:
    """Whether SQL can store the text: no NUL, no lone surrogate."""
    return "\x00" not in value and not any("\ud800" <= character <= "\udfff" for character in value)


def _is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() and "\x00" not in value or is_storable_text(value)
    if isinstance(value, dict):
        return all(_is_storable(name) and _is_storable(inner) for name, inner in value.items())
    return not isinstance(value, list) or all(map(_is_storable, value))


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _refuse_text() -> None:
    raise Problem(400, "invalid", _("A text holds a character that can't be stored."))
