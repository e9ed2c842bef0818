"""Reads the recent events of topics, all at one moment, and the epoch in which they are complete."""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from apps.front import keys
from apps.front.live.publishing import OPENED
from apps.front.live.topics import EVENTS_SECONDS, Topic
from apps.redis_kit import client
from apps.redis_kit.transport import Command, paired

CONNECTION_NAME = "live"
#: Topics in one exchange.
MAX_BATCH_TOPICS = 200
#: The id of an entry of a stream.
EntryId = tuple[int, int]
START: EntryId = (0, 0)


class Entry(NamedTuple):
    """An event: its id in the topic's stream, its microsecond by Redis' clock, its name and its JSON."""

    topic: str
    id: EntryId
    at: int
    event: str
    data: str


class History(NamedTuple):
    """What there was at the moment `at`: the epoch, and the entries of each topic, the oldest first."""

    epoch: str
    at: int
    entries: dict[str, list[Entry]]


async def read(topics: Sequence[tuple[Topic, EntryId]], *, opened: Sequence[Topic] = ()) -> History:
    """The entries of each topic after an id; the topics of `opened` keep theirs from now on.

    Raises client.UNAVAILABLE.
    """
    fields = ("event", OPENED, "data", "{}", "at", 0)
    commands: list[Command] = [("SET", keys.EPOCH(), secrets.token_hex(4), "NX"), ("GET", keys.EPOCH())]
    commands.append(("TIME",))
    # The smallest id there is: Redis refuses it where the stream is there already.
    first = len(commands)
    commands += [("XADD", topic.stream, "0-1", *fields) for topic in opened]
    commands += [("EXPIRE", topic.stream, EVENTS_SECONDS) for topic in opened]
    prelude = len(commands)
    commands += [("XRANGE", topic.stream, f"({after[0]}-{after[1]}", "+") for topic, after in topics]
    replies = await _execute(commands, may_fail=slice(first, first + len(opened)))
    seconds, microseconds = map(int, replies[2])
    pairs = zip(topics, replies[prelude:], strict=True)
    entries = {topic.name: parse(topic.name, reply) for (topic, _after), reply in pairs}
    return History(str(replies[1]), seconds * 1_000_000 + microseconds, entries)


def parse_id(text: str) -> EntryId:
    """The two numbers of an entry's id."""
    first, _, second = text.partition("-")
    return int(first), int(second or 0)


def parse(topic: str, reply: Any) -> list[Entry]:
    """The entries of a stream's reply, the oldest first."""
    found = []
    for text, fields in reply or ():
        named = dict(paired(fields))
        at = int(named.get("at", 0))
        found.append(Entry(topic, parse_id(text), at, named.get("event", OPENED), named.get("data", "{}")))
    return sorted(found, key=lambda entry: entry.id)


async def _execute(commands: list[Command], *, may_fail: slice) -> list[Any]:
    """The replies; on one server nothing happens between two of the commands. Some may be refused."""
    connected = client.async_transport(CONNECTION_NAME)
    replies: Any
    if connected.is_cluster:
        replies = await connected.execute_many(commands)
    else:
        *_queued, replies = await connected.execute_many([("MULTI",), *commands, ("EXEC",)])
    if not isinstance(replies, list):
        raise replies
    replies[may_fail] = [None] * len(replies[may_fail])
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    return replies
