"""Hides what must not be read of Redis by those who look after it: secret parts of keys, private values."""

import re
from functools import cache
from typing import NamedTuple

from django.conf import settings

from apps.redis_kit import schema

#: Fields of keys that hold a secret, or tell a person or a browser apart without a log-in.
SECRET_FIELDS = {"phone", "token", "ticket", "subject", "who", "viewer", "session", "digest", "network"}
#: Django's cache and admin sessions: the framework makes their names, and a session's name opens it.
FRAMEWORK_PREFIX = "django:"
#: Phone numbers in a value that is no private one by its declaration.
_PHONE = re.compile(r"\+\d{8,15}|(?<!\d)1[3-9]\d{9}(?!\d)")
MAX_SHOWN_CHARACTERS = 120


class ShownKey(NamedTuple):
    """A key as people may read it, and its declaration if it has one."""

    text: str
    declaration: schema.Key | None


def show_key(raw: str) -> ShownKey:
    """The key with the names of its secret fields in their places: "savor:accounts:code:<phone>"."""
    declaration = schema.match(raw)
    if declaration:
        return ShownKey(_hide_fields(raw, declaration), declaration)
    prefix = f"{settings.REDIS_PREFIX}:{FRAMEWORK_PREFIX}"
    return ShownKey(f"{prefix}…" if raw.startswith(prefix) else shorten(raw), None)


def show_value(text: str) -> str:
    """A short form of a value that is not private, without phone numbers."""
    return shorten(_PHONE.sub("<phone>", text))


def shorten(text: str, limit: int = MAX_SHOWN_CHARACTERS) -> str:
    """The text, cut after `limit` characters."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def _hide_fields(raw: str, declaration: schema.Key) -> str:
    match = _field_pattern(declaration).fullmatch(raw)
    if match is None:
        return raw
    text = raw
    for name in sorted(match.groupdict(), key=match.start, reverse=True):
        text = f"{text[: match.start(name)]}<{name}>{text[match.end(name) :]}"
    return shorten(text)


@cache
def _field_pattern(declaration: schema.Key) -> re.Pattern[str]:
    """Matches keys of a pattern, with a group for each secret field."""
    parts = re.split(r"<(\w+)>", f"{settings.REDIS_PREFIX}:{declaration.pattern}")
    shapes = [re.escape(part) if index % 2 == 0 else _field_shape(part) for index, part in enumerate(parts)]
    return re.compile("".join(shapes))


def _field_shape(name: str) -> str:
    group = f"P<{name}>" if name in SECRET_FIELDS else ":"
    return rf"(?{group}[^\s{{}}\x00]+)"
