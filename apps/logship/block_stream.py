"""The stream between sender and analysers: compressed blocks of files, under a memory limit.

Each analyser has a consumer group, whose position is the newest block that it has done. What all have done is
freed. Blocks are binary, so they are read as bytes, past the client's decoding.
"""

from enum import IntEnum
from typing import Any, NamedTuple

from django.conf import settings
from isal import isal_zlib

from apps.logship import keys
from apps.redis_kit import client, scripts, transport

#: A sixth of a log's size, at five times the speed of zlib's fastest; zlib reads it too.
COMPRESSION_LEVEL = 1
#: After so long without a sign an analyser no longer keeps the sender waiting.
GIVE_UP_MS = 10 * 60 * 1000
#: What the stream gives before its first block.
BEGINNING = "0-0"


class SendOutcome(IntEnum):
    """What became of a block: no room, added, or the file is elsewhere (`sent` says where)."""

    FULL = 0
    ADDED = 1
    ELSEWHERE = 2


class Sending(NamedTuple):
    outcome: SendOutcome
    sent: int


class Block(NamedTuple):
    """A piece of a file: `start` in bytes of its text; `text` is None when its checksum is wrong.

    `goes_on`: its last line ends in a later block.
    """

    id: str
    file: str
    start: int
    text: bytes | None
    goes_on: bool


FREE = scripts.Script("free_blocks", package="apps.logship", reply=int)
SEND = scripts.Script(
    "send_block",
    package="apps.logship",
    reply=lambda raw: Sending(SendOutcome(raw[0]), int(raw[1])),
    parts=[FREE],
)
SETTLE = scripts.Script("settle_group", package="apps.logship", reply=str, parts=[FREE])


def send(file: str, start: int, text: bytes, goes_on: bool = False) -> Sending:
    """Add a block; a repeated call adds nothing and says how far the file is. Raises client.UNAVAILABLE."""
    call_keys = [keys.BLOCKS(), keys.SENT(), keys.STATE()]
    packed = isal_zlib.compress(text, COMPRESSION_LEVEL)
    limits = (settings.LOG_STREAM_BYTES, GIVE_UP_MS)
    return SEND(
        client.get(),
        keys=call_keys,
        args=[file, start, len(text), isal_zlib.crc32(text), int(goes_on), *limits, packed],
    )


def read_sent(file: str) -> int:
    """Bytes of a file's text that were sent."""
    return int(client.get().hget(keys.SENT(), file) or 0)


def read_sent_of(files: list[str]) -> dict[str, int]:
    """{file: bytes of its text that were sent} of several files, in one trip. Raises client.UNAVAILABLE."""
    if not files:
        return {}
    found = client.get().hmget(keys.SENT(), files)
    return {file: int(sent or 0) for file, sent in zip(files, found, strict=True)}


def settle(group: str, done: str = BEGINNING) -> str:
    """Tell that an analyser lives and has done the blocks up to this id; returns the group's newest one."""
    return SETTLE(client.get(), keys=[keys.BLOCKS(), keys.STATE()], args=[group, done])


def read(after: str, count: int) -> list[Block]:
    """Up to `count` blocks behind the one with this id."""
    command = ("XRANGE", keys.BLOCKS(), f"({after}", "+", "COUNT", count)
    return [_parse_block(*entry) for entry in transport.execute_binary(client.get(), command)]


def forget_files(files: list[str]) -> None:
    """Forget how far these files were sent."""
    if files:
        client.get().hdel(keys.SENT(), *files)


class StreamState(NamedTuple):
    """Blocks and bytes in the stream, and how many times each analyser was given up."""

    blocks: int
    held_bytes: int
    given_up: dict[str, int]


def describe() -> StreamState:
    """What is in the stream now. Raises client.UNAVAILABLE."""
    commands = [("XLEN", keys.BLOCKS()), ("HGETALL", keys.STATE())]
    blocks, flat = transport.execute_many(client.get(), commands)
    state = flat if isinstance(flat, dict) else dict(zip(flat[::2], flat[1::2], strict=True))
    prefix = "given-up:"
    return StreamState(
        blocks=int(blocks),
        held_bytes=int(state.get("stored", 0)) - int(state.get("freed", 0)),
        given_up={
            name.removeprefix(prefix): int(count) for name, count in state.items() if name.startswith(prefix)
        },
    )


def _parse_block(entry_id: bytes, flat: Any) -> Block:
    fields = flat if isinstance(flat, dict) else dict(zip(flat[::2], flat[1::2], strict=True))
    try:
        text: bytes | None = isal_zlib.decompress(fields[b"text"])
    except isal_zlib.error:
        text = None
    if text is not None and isal_zlib.crc32(text) != int(fields[b"crc"]):
        text = None
    file, start = fields[b"file"].decode(), int(fields[b"start"])
    return Block(entry_id.decode(), file, start, text, fields[b"goes_on"] == b"1")
