"""Numbers on a person's page that higher apps know: each registers a CountSource in PROFILE_COUNTS."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import reverse

from apps.accounts.models import User
from apps.web.registry import Registry


@dataclass(frozen=True)
class CountSource:
    """How one number is counted, what it is called ("Follower" of one), and the page of what it counts."""

    label_of: Callable[[int], str]
    count_for: Callable[[User], int]
    page: str


class ProfileCount(NamedTuple):
    """One number of one person; `name` is its word in the API, `url` the page behind it."""

    name: str
    label: str
    number: int
    url: str


#: By the count's word in the API.
PROFILE_COUNTS: Registry[CountSource] = Registry("profile counts")


def read_all(user: User, sources: Iterable[tuple[str, CountSource]] | None = None) -> list[ProfileCount]:
    """Every registered number of one person."""
    return [
        ProfileCount(name, source.label_of(number), number, reverse(source.page, args=[user.pk]))
        for name, source in (PROFILE_COUNTS.items() if sources is None else sources)
        for number in [source.count_for(user)]
    ]
