"""What a text message's HTTP request says, and which answers mean success: templates of the settings.

A body is JSON, or a form of name=value pairs joined by &. In its values `{phone}` stands for the number as
+8613800138000, `{digits}` for the same without the plus, `{national}` for it without the country's code,
`{code}` for a log-in code and `{text}` for the message. A value that is itself JSON is filled as JSON.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

_PLACEHOLDER = re.compile(r"\{(phone|digits|national|code|text)\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_TO_NAMES, _WORD_NAMES = {"phone", "digits", "national"}, {"code", "text"}


@dataclass(frozen=True)
class Body:
    """A parsed template: an object for JSON, or pairs for a form."""

    content: Any
    is_json: bool

    @property
    def placeholders(self) -> set[str]:
        """The names of the places in it."""
        # Names of fields are not filled.
        filled = self.content if self.is_json else [value for _name, value in self.content]
        return set(_PLACEHOLDER.findall(json.dumps(filled, ensure_ascii=False)))

    @property
    def media_type(self) -> str:
        return "application/json" if self.is_json else "application/x-www-form-urlencoded"

    def fill(self, values: Mapping[str, str]) -> bytes:
        """The body with these values in their places, which can't break out of them."""
        filled = _map_texts(self.content, lambda text: _fill_text(text, values))
        return (json.dumps(filled, ensure_ascii=False) if self.is_json else urlencode(filled)).encode()


def parse_body(template: str) -> Body:
    """The template's body; ValueError says what is wrong with it."""
    content = _parse_json(template)
    is_json = isinstance(content, dict)
    body = Body(content if is_json else parse_qsl(template, keep_blank_values=True), is_json)
    if not body.placeholders & _TO_NAMES or not body.placeholders & _WORD_NAMES:
        raise ValueError(
            "must be a JSON object or a form (To={phone}&Body={text}) with {phone} and {text} or {code}"
        )
    return body


def parse_headers(text: str) -> dict[str, str]:
    """The header fields of a JSON object; ValueError says what is wrong with it."""
    found = _parse_json(text)
    if not isinstance(found, dict):
        raise ValueError('must be a JSON object: {"Authorization": "Bearer …"}')
    for name, value in found.items():
        is_field = isinstance(value, str) and value.isascii() and value.isprintable()
        if not is_field or not _HEADER_NAME.fullmatch(name):
            raise ValueError("has a header whose name or value can't be sent")
    return found


@dataclass(frozen=True)
class Rule:
    """Which answers mean success: a field of the JSON answer and its values; none: every 2xx."""

    path: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    def find(self, body: bytes) -> str | None:
        """The field's value as text; None when the answer has none."""
        found = _parse_json(body)
        for name in self.path:
            if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                found = found.get(name) if isinstance(found, dict) else None
        return None if found is None or isinstance(found, dict | list) else _show(found)

    def is_met(self, body: bytes) -> bool:
        return not self.path or self.find(body) in self.values


def parse_rule(text: str) -> Rule:
    """The rule of a text such as "Code=OK" or "result.0.status=0,1"; ValueError says what is wrong."""
    if not text:
        return Rule()
    path, equals, values = text.partition("=")
    if not equals or not all(path.split(".")) or not values:
        raise ValueError(
            "must name a field of the JSON answer and its good values: Code=OK or result.status=0,1"
        )
    return Rule(tuple(path.split(".")), tuple(values.split(",")))


def _show(value: object) -> str:
    """A JSON value as JSON writes it, and a text as it is."""
    return value if isinstance(value, str) else json.dumps(value)


def _parse_json(text: str | bytes) -> Any:
    """What the JSON says; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _fill_text(text: str, values: Mapping[str, str]) -> str:
    inner = _parse_json(text)
    if isinstance(inner, dict):
        return json.dumps(_map_texts(inner, lambda each: _fill_text(each, values)), ensure_ascii=False)
    # In one pass: a message that says "{code}" stays as it is.
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), text)


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same shape with every text in it changed, names of fields excepted."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _map_texts(each, change) for name, each in value.items()}
    if isinstance(value, list):
        return [_map_texts(each, change) for each in value]
    if isinstance(value, tuple):
        name, each = value
        return name, _map_texts(each, change)
    return value
