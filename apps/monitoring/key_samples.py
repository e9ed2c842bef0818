"""Samples of the keys of one pattern: how long they live, and what a few of them hold.

A walk by SCAN ends after a bounded number of keys and milliseconds. Values of private patterns are not even
read. A few elements of each collection are; only a long text is cut by the server.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import redis
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from apps.monitoring import memory
from apps.redis_kit import client, schema, transport
from apps.redis_kit.transport import Command

#: Keys whose expiry is looked at, and of those the ones that are shown with their elements.
MAX_SAMPLED_KEYS, MAX_SHOWN_KEYS = 200, 12
#: Elements of a collection, entries of a stream, and bytes of a text.
MAX_ELEMENTS, MAX_ENTRIES, MAX_TEXT_BYTES = 5, 3, 200
#: Keys that the walk looks at, and its seconds, at most.
MAX_WALKED_KEYS, MAX_WALK_SECONDS = 20_000, 0.3
#: (seconds, label): a key that lives no longer belongs to the first that is long enough.
LIFETIMES = (
    (60, _("up to a minute")),
    (3_600, _("up to an hour")),
    (86_400, _("up to a day")),
    (7 * 86_400, _("up to a week")),
    (30 * 86_400, _("up to 30 days")),
    (float("inf"), _("longer")),
)
NEVER_EXPIRES = _("for ever")
LENGTH_COMMANDS = {
    "string": "STRLEN",
    "hash": "HLEN",
    "list": "LLEN",
    "set": "SCARD",
    "zset": "ZCARD",
    "stream": "XLEN",
}

#: Fields of keys that hold a secret, or tell a person or a browser apart without a log-in.
SECRET_FIELDS = {"phone", "token", "ticket", "subject", "who", "viewer", "session", "digest", "network"}
#: Django's cache and admin sessions: the framework makes their names, and a session's name opens it.
FRAMEWORK_PREFIX = "django:"
#: Phone numbers in a value that is no private one by its declaration.
_PHONE = re.compile(r"\+\d{8,15}|(?<!\d)1[3-9]\d{9}(?!\d)")
MAX_SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Sample:
    """One key: its name without secrets, seconds to live (None: for ever), bytes, length, some elements."""

    name: str
    seconds: int | None
    bytes: int
    length: int
    elements: list[tuple[str, str]]


@dataclass(frozen=True)
class LifetimeBar:
    """How many of the sampled keys live so long."""

    label: Any
    keys: int


@dataclass(frozen=True)
class KeySamples:
    """What the walk found: of `walked` keys on the server `sampled` are of the pattern."""

    walked: int
    sampled: int
    lifetimes: list[LifetimeBar]
    samples: list[Sample]

    @property
    def most(self) -> int:
        """Keys of the highest bar."""
        return max((bar.keys for bar in self.lifetimes), default=0) or 1


def read(declaration: schema.Key, known: Sequence[str] = ()) -> KeySamples:
    """Samples of a pattern, `known` keys first; raises client.UNAVAILABLE."""
    connected = client.get()
    walked, found = _walk(connected, declaration)
    raws = list(dict.fromkeys([*known, *found]))[:MAX_SAMPLED_KEYS]
    lifetimes = _read_lifetimes(connected, raws)
    raws = list(lifetimes)
    samples = _read_samples(connected, declaration, raws[:MAX_SHOWN_KEYS], lifetimes)
    return KeySamples(walked, len(raws), _count_lifetimes(list(lifetimes.values())), samples)


def _walk(connected: redis.Redis, declaration: schema.Key) -> tuple[int, list[str]]:
    """(keys looked at, keys of the pattern among them)."""
    ends_at, walked, found = time.monotonic() + MAX_WALK_SECONDS, 0, list[str]()
    for raw in islice(connected.scan_iter(count=1_000), MAX_WALKED_KEYS):
        walked += 1
        # Another pattern with fewer fields may describe it better.
        if declaration.matches(raw) and schema.match(raw) is declaration:
            found.append(raw)
        if len(found) >= MAX_SAMPLED_KEYS or time.monotonic() > ends_at:
            break
    return walked, found


def _read_lifetimes(connected: redis.Redis, raws: Sequence[str]) -> dict[str, int | None]:
    """Seconds to live of each key that is still there, None for ever."""
    replies = transport.execute_many(connected, [("TTL", raw) for raw in raws])
    return {
        raw: None if int(seconds) == -1 else int(seconds)
        for raw, seconds in zip(raws, replies, strict=True)
        if int(seconds) != -2
    }


def _count_lifetimes(lifetimes: Sequence[int | None]) -> list[LifetimeBar]:
    counts = [0] * len(LIFETIMES)
    for seconds in lifetimes:
        if seconds is not None:
            counts[next(index for index, (most, _label) in enumerate(LIFETIMES) if seconds <= most)] += 1
    bars = [LifetimeBar(label, count) for (_most, label), count in zip(LIFETIMES, counts, strict=True)]
    return [*bars, LifetimeBar(NEVER_EXPIRES, sum(seconds is None for seconds in lifetimes))]


def _read_samples(
    connected: redis.Redis,
    declaration: schema.Key,
    raws: Sequence[str],
    lifetimes: Mapping[str, int | None],
) -> list[Sample]:
    per_key = 2 if declaration.private else 3
    with connected.pipeline(transaction=False) as pipe:
        for raw in raws:
            pipe.memory_usage(raw, samples=memory.MEMORY_USAGE_SAMPLES)
            pipe.execute_command(LENGTH_COMMANDS[declaration.type], raw)
            if not declaration.private:
                pipe.execute_command(*_elements_command(declaration.type, raw))
        # A key of another type than declared answers with a refusal; one that has expired with nothing.
        replies = pipe.execute(raise_on_error=False)
    return [
        _build_sample(declaration, raw, lifetimes[raw], *replies[index * per_key : (index + 1) * per_key])
        for index, raw in enumerate(raws)
    ]


def _build_sample(
    declaration: schema.Key, raw: str, seconds: int | None, size: Any, length: Any, elements: Any = None
) -> Sample:
    return Sample(
        name=show_key(raw).text,
        seconds=seconds,
        bytes=size if isinstance(size, int) else 0,
        length=length if isinstance(length, int) else 0,
        elements=_show_elements(declaration.type, elements),
    )


def _elements_command(kind: str, raw: str) -> Command:
    """The command that reads the first or some elements of a key."""
    commands: dict[str, Command] = {
        "string": ("GETRANGE", raw, 0, MAX_TEXT_BYTES - 1),
        "hash": ("HRANDFIELD", raw, MAX_ELEMENTS, "WITHVALUES"),
        "list": ("LRANGE", raw, 0, MAX_ELEMENTS - 1),
        "set": ("SRANDMEMBER", raw, MAX_ELEMENTS),
        "zset": ("ZRANGE", raw, 0, MAX_ELEMENTS - 1, "WITHSCORES"),
        "stream": ("XRANGE", raw, "-", "+", "COUNT", MAX_ENTRIES),
    }
    return commands[kind]


def _show_elements(kind: str, reply: Any) -> list[tuple[str, str]]:
    """(field, score or id, value) pairs as text; [] for a key that is gone or of another type."""
    if reply is None or isinstance(reply, Exception):
        return []
    if kind == "string":
        return [("", _show(reply))]
    if kind in {"list", "set"}:
        return [("", _show(element)) for element in reply]
    if kind == "zset":
        return [(f"{score:g}", _show(member)) for member, score in transport.scored(reply)]
    if kind == "stream":
        return [(_show(entry_id), _show_fields(fields)) for entry_id, fields in reply]
    return [(_show(name), _show(value)) for name, value in transport.paired(reply)]


def _show_fields(fields: Any) -> str:
    return shorten(" ".join(f"{_show(name)}={_show(value)}" for name, value in transport.paired(fields)))


def _show(value: Any) -> str:
    text = str(value).replace("\x00", "␀")
    # Bytes that are no text: a HyperLogLog, a bitmap.
    is_binary = "\ufffd" in text or any(character < " " and character not in "\n\t" for character in text)
    return str(_("binary")) if is_binary else show_value(text)


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
