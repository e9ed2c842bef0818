"""Numbers on a person's page that higher apps know: each registers its own when it starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import reverse

from apps.accounts.models import User

Label = object


@dataclass(frozen=True)
class CountSource:
    """A number of one person: its word in the API, its label, and the page of that person that lists it."""

    name: str
    label: Label
    of: Callable[[User], int]
    page: str


class ProfileCount(NamedTuple):
    name: str
    label: str
    number: int
    url: str


_sources: list[CountSource] = []


def register(name: str, label: Label, of: Callable[[User], int], *, page: str) -> None:
    """Show `of(user)` on people's pages; `label` may be lazily translated, `page` takes the person's id."""
    if not any(count.name == name for count in _sources):
        _sources.append(CountSource(name, label, of, page))


def read_all(user: User, counts: Sequence[CountSource] = _sources) -> list[ProfileCount]:
    """Every registered number of one person, with the link behind it."""
    return [
        ProfileCount(count.name, str(count.label), count.of(user), reverse(count.page, args=[user.pk]))
        for count in counts
    ]
