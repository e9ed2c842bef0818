"""What the mailbox has to know of people: the app that has accounts registers it when it starts."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from django.db.models import Exists, OuterRef

from apps.web.registry import Registry


class Person(NamedTuple):
    """An active person: how others see them, where their messages go, and which broadcasts are theirs.

    `avatar` is a URL or ""; `city` is as `Directory.city_key` writes it.
    """

    user_id: int
    nickname: str
    avatar: str
    url: str
    phone: str
    language: str
    city: str
    joined_at: datetime


class Directory(Protocol):
    """Finds people."""

    def load(self, user_ids: Collection[int]) -> Mapping[int, Person]:
        """The active people among these ids; one query."""

    def city_key(self, written: str) -> str:
        """A city as everybody's is compared, whichever language it is written in; "" for none."""

    def count(self, city: str) -> int:
        """The number of active people, of one city (as people write it) or of all ("")."""

    def find_by_phones(self, phones: Collection[str]) -> Mapping[str, int]:
        """{phone as it was given: user id} of those whom it finds."""


#: Has one entry, "accounts".
DIRECTORIES: Registry[Directory] = Registry("directory of people")
#: Called with (recipient id or its column, actor id): the condition under which the first hears nothing of
#: the second.
HEARS_NOTHING: Registry[Callable[[int | OuterRef, int], Exists]] = Registry("hears nothing of")


def directory() -> Directory:
    """The registered directory; LookupError when no app has registered one."""
    for entry in DIRECTORIES.entries():
        return entry
    raise LookupError("no app registered a directory of people")
