"""Pictures of the site's own keys as they are now: type, size, expiry, first elements; values masked."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, cast

from apps.patterns.pattern import LiveKey, Text
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, schema, transport

#: Keys drawn of one declaration, elements of a key, characters of an element.
MAX_KEYS, MAX_ELEMENTS, MAX_LENGTH = 2, 6, 48
#: Keys drawn of a demonstration.
MAX_SCRATCH_KEYS = 8
#: One look walks through so many keys at most, in steps of SCAN_COUNT, and is remembered for so long.
MAX_WALKED_KEYS, SCAN_COUNT, REMEMBERED_SECONDS = 40_000, 1_000, 30.0
#: A masked text shows its first sign if it is at least so long, and a dot for so many others.
MIN_SHOWN_LENGTH, MAX_MASK_LENGTH = 4, 7
#: Bytes of a string of bits that are drawn.
MAX_BIT_BYTES = 4

NOTHING = Text("", "")
_remembered: dict[str, tuple[float, list[str]]] = {}


@dataclass(frozen=True)
class KeyPicture:
    """One key of the server, ready to draw; `elements` are (name or "", value); `bits` of a bitmap."""

    declaration: schema.Key
    name: str
    size: int
    memory: int
    ttl: int
    elements: list[tuple[str, str]]
    bits: list[bool]

    @property
    def rest(self) -> int:
        """Elements that are not drawn."""
        return 0 if self.declaration.type == "string" else max(0, self.size - len(self.elements))


@dataclass(frozen=True)
class LivePicture:
    """What the site holds of one declaration: some keys of it, or none."""

    declaration: schema.Key
    about: Text
    keys: list[KeyPicture]
    is_masked: bool


def draw(live_keys: Sequence[LiveKey]) -> list[LivePicture]:
    """A picture for each declaration; raises client.UNAVAILABLE when Redis is away."""
    return [_draw_declaration(live) for live in live_keys]


def draw_scratch(run: Scratch, *, is_bits: bool) -> list[KeyPicture]:
    """The keys that a demonstration has left so far, MAX_SCRATCH_KEYS at most, under short names."""
    declared = [(name, schema.match(name)) for name in run.names[:MAX_SCRATCH_KEYS]]
    drawn = [
        _draw_key(LiveKey(key, NOTHING, is_public=True, is_bits=is_bits and key.type == "string"), name)
        for name, key in declared
        if key
    ]
    return [replace(one, name=one.name.removeprefix(run.prefix)) for one in drawn if one]


def forget() -> None:
    """Look for keys anew at the next picture: for tests."""
    _remembered.clear()


def _draw_declaration(live: LiveKey) -> LivePicture:
    names = _find_names(live)
    pictures = [picture for name in names if (picture := _draw_key(live, name))]
    return LivePicture(live.key, live.about, pictures[:MAX_KEYS], not live.is_public)


def _find_names(live: LiveKey) -> list[str]:
    """A few keys of a declaration that the server holds."""
    declaration = live.key
    if not declaration.fields:
        return [declaration()]
    checked_at, names = _remembered.get(declaration.pattern, (0.0, []))
    if time.monotonic() - checked_at > REMEMBERED_SECONDS or not checked_at:
        names = _scan(live)
        _remembered[declaration.pattern] = (time.monotonic(), names)
    return names


def _scan(live: LiveKey) -> list[str]:
    connected = cast(Any, client.get(live.connection))
    nodes = connected.get_primaries() if client.is_cluster(connected) else [None]
    found = [name for node in nodes for name in _scan_node(live.key, connected, node, len(nodes))]
    return sorted(found)[: 2 * MAX_KEYS]


def _scan_node(declaration: schema.Key, connected: Any, node: object | None, nodes: int) -> list[str]:
    """Names on one of so many servers, each of which is walked for its share of MAX_WALKED_KEYS."""
    found: list[str] = []
    cursor, walked = 0, 0
    options = {"target_nodes": node} if node else {}
    while walked * nodes < MAX_WALKED_KEYS and len(found) < 2 * MAX_KEYS:
        reply, names = connected.scan(cursor, match=declaration.scan_pattern, count=SCAN_COUNT, **options)
        cursor = next(iter(reply.values())) if isinstance(reply, dict) else reply
        found += [str(name) for name in names if declaration.matches(str(name))]
        walked += SCAN_COUNT
        if not cursor:
            break
    return found


def _draw_key(live: LiveKey, name: str) -> KeyPicture | None:
    size_command, read_command = _commands(live, name)
    commands: list[transport.Command] = [
        ("TYPE", name), ("PTTL", name), ("MEMORY", "USAGE", name), size_command, read_command,
    ]  # fmt: skip
    kind, ttl, memory, size, reply = transport.execute_many(
        client.get(live.connection), commands, raise_on_error=False
    )
    if kind != live.key.type:
        return None
    bits = _bits(reply) if live.is_bits else []
    elements = [] if live.is_bits else [_show(live, pair) for pair in _pairs(live.key.type, reply)]
    ttl_seconds = int(ttl) // 1000 if int(ttl) > 0 else 0
    return KeyPicture(live.key, name, int(size), int(memory or 0), ttl_seconds, elements, bits)


def _commands(live: LiveKey, name: str) -> tuple[transport.Command, transport.Command]:
    """(its size, its first elements) as commands."""
    last = MAX_ELEMENTS - 1
    by_type: dict[str, tuple[transport.Command, transport.Command]] = {
        "string": (("STRLEN", name), ("GETRANGE", name, 0, 4 * MAX_LENGTH)),
        "hash": (("HLEN", name), ("HSCAN", name, 0, "COUNT", MAX_ELEMENTS)),
        "list": (("LLEN", name), ("LRANGE", name, 0, last)),
        "set": (("SCARD", name), ("SSCAN", name, 0, "COUNT", MAX_ELEMENTS)),
        "zset": (("ZCARD", name), ("ZREVRANGE", name, 0, last, "WITHSCORES")),
        "stream": (("XLEN", name), ("XREVRANGE", name, "+", "-", "COUNT", MAX_ELEMENTS)),
    }
    size, read = by_type[live.key.type]
    if live.is_bits:
        read = ("BITFIELD_RO", name, *_bit_words())
    return size, read


def _bit_words() -> list[str]:
    return [word for place in range(MAX_BIT_BYTES) for word in ("GET", "u8", f"#{place}")]


def _bits(reply: Any) -> list[bool]:
    return [byte >> place & 1 == 1 for byte in reply for place in range(7, -1, -1)]


def _pairs(type_: str, reply: Any) -> list[tuple[str, str]]:
    if type_ == "hash":
        return transport.paired(reply[1])[:MAX_ELEMENTS]
    if type_ == "zset":
        return [(_show_score(score), member) for member, score in transport.scored(reply)]
    if type_ == "stream":
        return [(entry, " ".join(map(str, chain(*transport.paired(fields))))) for entry, fields in reply]
    values = reply[1] if type_ == "set" else [reply] if type_ == "string" else reply
    return [("", str(value)) for value in values][:MAX_ELEMENTS]


def _show_score(score: float) -> str:
    return f"{score:.0f}" if score.is_integer() else f"{score:.15g}"


def _show(live: LiveKey, pair: tuple[str, str]) -> tuple[str, str]:
    name, value = (_printable(part) for part in pair)
    return (name, value) if live.is_public else (_mask(name), _mask(value))


def _printable(text: str) -> str:
    printable = "".join(
        sign if sign.isprintable() and sign != "\ufffd" else "·" for sign in str(text)[:MAX_LENGTH]
    )
    return printable + "…" if len(str(text)) > MAX_LENGTH else printable


def _mask(text: str) -> str:
    """The first sign of a longer text and how long it goes on: enough to see the shape."""
    start = text[:1] if len(text) >= MIN_SHOWN_LENGTH else ""
    return start + "•" * min(len(text) - len(start), MAX_MASK_LENGTH)
