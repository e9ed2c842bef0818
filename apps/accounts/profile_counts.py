"""Numbers on a person's page that higher apps know: each registers its own when it starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import reverse

from apps.accounts.models import User

Label = object


@dataclass(frozen=True)
class Count:
    """A number of one person: its word in the API, its label, and the page of that person that lists it."""

    name: str
    label: Label
    of: Callable[[User], int]
    page: str


class Shown(NamedTuple):
    name: str
    label: str
    number: int
    url: str


_counts: list[Count] = []


def register(name: str, label: Label, of: Callable[[User], int], *, page: str) -> None:
    """Show `of(user)` on people's pages; `label` may be lazily translated, `page` takes the person's id."""
    if not any(count.name == name for count in _counts):
        _counts.append(Count(name, label, of, page))


def shown(user: User, counts: Sequence[Count] = _counts) -> list[Shown]:
    """Every registered number of one person, with the link behind it."""
    return [
        Shown(count.name, str(count.label), count.of(user), reverse(count.page, args=[user.pk]))
        for count in counts
    ]
