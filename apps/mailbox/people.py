"""What the mailbox has to know of people: the app that has accounts gives it in its provides.py."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from django.db.models import Exists, OuterRef


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

    def city_choices(self, written: str) -> list[tuple[str, str]]:
        """The cities that a form offers, as (value, label), also what is written; [] without any."""

    def count(self, city: str) -> int:
        """The number of active people, of one city (as people write it) or of all ("")."""

    def find_by_phones(self, phones: Collection[str]) -> Mapping[str, int]:
        """{phone as it was given: user id} of the phones that belong to an active person."""

    def hears_nothing(self, recipient: int | OuterRef, actor_id: int) -> Exists:
        """The SQL condition that no notification of an actor reaches a recipient (an id or its column)."""


_directory: Directory | None = None


def use_directory(given: Directory) -> None:
    """Find people in this directory; called once, when the site starts."""
    global _directory
    _directory = given


def directory() -> Directory:
    """The directory of people."""
    assert _directory, "accounts/provides.py gives it"
    return _directory
