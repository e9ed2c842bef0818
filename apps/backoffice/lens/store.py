"""Keeps the newest recorded requests of each browser in Redis, so that any web process can show their steps.

A recording becomes JSON: round trips and statements in their order. Arguments of commands are shown by their
sizes, unless they are options or numbers of a key that holds nothing private. SQL statements have
placeholders for their values anyway.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, TypedDict

from django.conf import settings

from apps.backoffice import keys
from apps.backoffice.lens.access import LensSession
from apps.backoffice.lens.recording import Recording, Statement
from apps.monitoring import key_samples
from apps.redis_kit import client, scripts, transport
from apps.redis_kit.observers import Exchange

MAX_KEPT_REQUESTS = 20
#: A longer request is kept without its steps.
MAX_REQUEST_BYTES = 128 * 1024
LIFETIME = timedelta(minutes=10)
KEEP_REQUEST = scripts.Script("keep_request", package="apps.backoffice.lens", reply=int)

#: Words of a command that say how it works; everything else could be somebody's.
OPTION_WORDS = frozenset(
    "ABS ASC BEFORE BLOCK BY BYBOX BYLEX BYRADIUS BYSCORE CH COUNT DESC EX EXAT FROMLONLAT FROMMEMBER "
    "GET GT INCR KEEPTTL KM LEFT LIMIT LT M MATCH MAXLEN NOACK NX PERSIST PX PXAT REV RIGHT SAMPLES "
    "STORE STREAMS SUM UNIT USAGE WEIGHTS WITHCOORD WITHDIST WITHSCORES WITHVALUES XX LOAD GROUP CREATE "
    "READ INFO".split()
)
SCRIPT_COMMANDS = {"EVALSHA", "EVAL", "EVALSHA_RO", "EVAL_RO"}
#: Shown of an exchange, and of a command; the rest is counted. Characters of a statement.
MAX_COMMANDS, MAX_KEYS, MAX_ARGUMENTS, MAX_SQL_CHARACTERS = 30, 6, 8, 1_000
_NUMBER = re.compile(r"[(+-]?\d{1,20}(?:\.\d{1,10})?")


def keep(session: LensSession, recording: Recording) -> None:
    """Keep a finished recording for the session's panel; nothing is kept without Redis or a panel."""
    if not session.name:
        return
    described = describe(recording)
    text = json.dumps(described)
    if len(text) > MAX_REQUEST_BYTES:
        text = json.dumps(described | {"steps": [], "left_out": recording.trips + recording.queries})
    args: list[scripts.Arg] = [text, MAX_KEPT_REQUESTS, int(LIFETIME.total_seconds())]
    try:
        KEEP_REQUEST(client.get("stats"), keys=[keys.LENS_REQUESTS(session=session.name)], args=args)
    except client.UNAVAILABLE:
        return


def read_newest(session: LensSession) -> list[dict[str, Any]]:
    """The session's recorded requests, newest first; raises client.UNAVAILABLE."""
    if not session.name:
        return []
    command = ("LRANGE", keys.LENS_REQUESTS(session=session.name), 0, MAX_KEPT_REQUESTS - 1)
    return [json.loads(text) for text in transport.execute(client.get("stats"), command)]


def forget(session: LensSession) -> None:
    """Drop what was recorded; it ends by itself where Redis is away."""
    try:
        if session.name:
            transport.execute(client.get("stats"), ("DEL", keys.LENS_REQUESTS(session=session.name)))
    except client.UNAVAILABLE:
        return


class ShownKey(TypedDict):
    """A key as text, secrets left out, with the pattern of its declaration ("" without one)."""

    text: str
    pattern: str


class Command(TypedDict):
    """One command; `script` is the name of the Lua file that it runs, `more_keys` and `more_words` count."""

    name: str
    script: str
    keys: list[ShownKey]
    more_keys: int
    words: list[str]
    more_words: int


def describe(recording: Recording) -> dict[str, Any]:
    """The recording as JSON: totals in microseconds and bytes, and `steps` by their beginnings."""
    trips = [_describe_exchange(exchange, recording.began) for exchange in recording.exchanges]
    trips.sort(key=lambda trip: trip["at_us"])
    for number, trip in enumerate(trips, 1):
        trip["number"] = number
    statements = [_describe_statement(statement, recording.began) for statement in recording.statements]
    return {
        "method": recording.method,
        "path": key_samples.shorten(recording.path),
        "view": recording.view,
        "status": recording.status,
        "is_page": recording.is_page,
        "started_at": recording.started_at,
        "total_us": _microseconds(recording.seconds),
        "trips": recording.trips,
        "commands": recording.commands,
        "redis_us": _microseconds(recording.redis_seconds),
        "sent": sum(trip["sent"] for trip in trips),
        "received": sum(trip["received"] for trip in trips),
        "queries": recording.queries,
        "sql_us": _microseconds(recording.sql_seconds),
        "left_out": recording.trips - len(trips) + recording.queries - len(statements),
        "steps": sorted([*trips, *statements], key=lambda step: int(step["at_us"])),
    }


def describe_command(words: Sequence[Any]) -> Command:
    """A command as people may read it."""
    texts = [word if isinstance(word, str) else str(word) for word in words]
    name = texts[0].upper()
    script, keys, arguments = _split_script(texts) if name in SCRIPT_COMMANDS else _split_plain(texts)
    masked = [key_samples.show_key(key) for key in keys]
    # Only where every key is declared, and none of them holds anything private, is a number just a number.
    is_open = bool(masked) and all(key.declaration and not key.declaration.private for key in masked)
    return Command(
        name=name,
        script=script,
        keys=[
            ShownKey(text=key.text, pattern=key.declaration.pattern if key.declaration else "")
            for key in masked[:MAX_KEYS]
        ],
        more_keys=max(0, len(masked) - MAX_KEYS),
        words=[_show_argument(word, is_open=is_open) for word in arguments[:MAX_ARGUMENTS]],
        more_words=max(0, len(arguments) - MAX_ARGUMENTS),
    )


def _split_script(words: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]]:
    """(the script's name, its keys, its arguments)."""
    text = words[1]
    is_text = words[0].upper().startswith("EVAL") and not words[0].upper().startswith("EVALSHA")
    sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest() if is_text else text
    end = 3 + int(words[2])
    return scripts.NAMES_BY_SHA.get(sha, sha[:8]), words[3:end], words[end:]


def _split_plain(words: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]]:
    prefix = f"{settings.REDIS_PREFIX}:"
    keys = [word for word in words[1:] if word.startswith(prefix)]
    return "", keys, [word for word in words[1:] if not word.startswith(prefix)]


def _show_argument(word: str, *, is_open: bool) -> str:
    if word.upper() in OPTION_WORDS or (is_open and _NUMBER.fullmatch(word)):
        return word
    return f"[{len(word.encode())} B]"


def _describe_exchange(exchange: Exchange, began: float) -> dict[str, Any]:
    commands = exchange.commands
    return {
        "kind": "redis",
        "at_us": _microseconds(exchange.began - began),
        "us": _microseconds(exchange.seconds),
        "connection": exchange.connection,
        "is_shared": exchange.callers.is_shared,
        "sent": exchange.sent_bytes,
        "received": exchange.received_bytes,
        "error": type(exchange.error).__name__ if exchange.error else "",
        "refusals": len(exchange.refusals),
        "commands": [describe_command(words) for words in islice(commands, MAX_COMMANDS)],
        "more_commands": max(0, len(commands) - MAX_COMMANDS),
    }


def _describe_statement(statement: Statement, began: float) -> dict[str, Any]:
    return {
        "kind": "sql",
        "at_us": _microseconds(statement.began - began),
        "us": _microseconds(statement.seconds),
        "sql": key_samples.shorten(statement.sql, MAX_SQL_CHARACTERS),
    }


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)
