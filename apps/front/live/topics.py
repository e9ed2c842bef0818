"""Topics: what a live stream subscribes to, each with a channel and with a stream of its recent events."""

from typing import NamedTuple

from django.conf import settings

from apps.front import keys

#: Most events that a topic keeps, and seconds after which it forgets them when nothing happens.
MAX_EVENTS, EVENTS_SECONDS = 256, 20 * 60


class Topic(NamedTuple):
    """A name such as "u7", and the key of the stream with its recent events."""

    name: str
    stream: str

    @property
    def channel(self) -> str:
        """The channel on which processes get its events."""
        return build_channel(self.name)


def person_topic(user_id: int) -> Topic:
    """The topic of one person's events."""
    return Topic(f"u{user_id}", keys.EVENTS(subject=f"u{user_id}"))


#: What is told to every open stream.
EVERYBODY = "all"


def build_channel(name: str) -> str:
    """The channel of a topic's name."""
    return f"{settings.REDIS_PREFIX}:live:{name}"


def everybody_topic() -> Topic:
    return Topic(EVERYBODY, keys.EVENTS(subject=EVERYBODY))
