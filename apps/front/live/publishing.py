"""Tells people's open live streams what happened: call these after the commit.

They never raise because Redis is away: a page that missed something finds it in SQL when it connects again.
"""

import json
import logging
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from apps.front.live.topics import MAX_EVENTS, Topic, everybody_topic, person_topic
from apps.redis_kit import client, scripts, transport

#: Events with these names are for the process that holds the stream; its reader never sees them.
FOLLOW, UNFOLLOW, CLOSE, OPENED = "!follow", "!unfollow", "!close", "!opened"
PUBLISH_EVENT = scripts.Script("publish_event", package="apps.front.live", reply=int)
log = logging.getLogger(__name__)


class Event(NamedTuple):
    """What is sent to one person: the event's name, and its data, which becomes JSON."""

    user_id: int
    name: str
    data: dict[str, Any]


def publish(user_ids: Iterable[int], event: str, data: dict[str, Any]) -> None:
    """Tell people's open streams an event; one round trip."""
    _publish_to_topics([person_topic(user_id) for user_id in set(user_ids)], event, encode(data))


def publish_each(events: Sequence[Event]) -> None:
    """Send many people an event each; most of them have no stream open: two round trips at most."""
    if not events:
        return
    topics = [person_topic(event.user_id) for event in events]
    try:
        are_open = transport.execute_many(client.get(), [("EXISTS", topic.stream) for topic in topics])
        pairs = zip(topics, events, strict=True)
        opened = [pair for pair, is_open in zip(pairs, are_open, strict=True) if is_open]
        _call([build_call(topic, event.name, encode(event.data)) for topic, event in opened])
    except client.UNAVAILABLE as error:
        log.warning("Redis is away: %d live events are not told (%s)", len(events), error)


def publish_to_all(event: str, data: dict[str, Any]) -> None:
    """Tell every open stream an event; one round trip."""
    _publish_to_topics([everybody_topic()], event, encode(data))


def follow(user_ids: Iterable[int], topic: Topic, *, after: str) -> None:
    """Add a topic to people's open streams, with its events after an id of its stream."""
    command = encode({"name": topic.name, "stream": topic.stream, "after": after})
    _publish_to_topics([person_topic(user_id) for user_id in set(user_ids)], FOLLOW, command)


def unfollow(user_id: int, topic: Topic) -> None:
    """Take a topic from a person's open streams."""
    _publish_to_topics([person_topic(user_id)], UNFOLLOW, encode({"name": topic.name}))


def close_streams(user_ids: Iterable[int]) -> None:
    """Close people's open streams: who is still logged in connects again."""
    _publish_to_topics([person_topic(user_id) for user_id in set(user_ids)], CLOSE, "{}")


def encode(data: dict[str, Any]) -> str:
    """Data as JSON on one line, as an event needs it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def build_call(topic: Topic, event: str, data: str) -> scripts.Call:
    """(keys, args) of the script that tells a topic an event."""
    return [topic.stream], [topic.channel, event, data, MAX_EVENTS]


def _publish_to_topics(topics: Sequence[Topic], event: str, data: str) -> None:
    try:
        _call([build_call(topic, event, data) for topic in topics])
    except client.UNAVAILABLE as error:
        log.warning("Redis is away: %s is not told live to %d people (%s)", event, len(topics), error)


def _call(calls: Sequence[scripts.Call]) -> None:
    if calls:
        PUBLISH_EVENT.call_many(client.get(), calls)
