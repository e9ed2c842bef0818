"""A strict JSON parser for the API, and the base of its request bodies."""

import json
import re
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from ninja import Schema
from ninja.parser import Parser
from pydantic import ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo, field_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from apps.web import characters
from apps.web.problems.problem import Problem

_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.-]+\+)?json", re.IGNORECASE)


class Body(Schema):
    """The base of every request body: a member that it doesn't name is refused with 422, not ignored."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_other_booleans(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse 0, "off" and the like for true and false: whether a note is published hangs on it."""
        is_boolean = cls.model_fields[str(info.field_name)].annotation in (bool, bool | None)
        if is_boolean and value is not None and not isinstance(value, bool):
            raise PydanticCustomError("boolean", "Input should be true or false")
        return value


class EmptyAsNone:
    """Annotates a query parameter whose empty text counts as not given: a form sends its empty fields."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            lambda value: None if value == "" else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        found = handler(schema)
        kinds = found.setdefault("anyOf", [{"$ref": found.pop("$ref")}] if "$ref" in found else [])
        kinds.append({"const": ""})
        return found


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
