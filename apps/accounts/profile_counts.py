"""Numbers on the profile page that higher apps know: each registers its own when it starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import reverse

from apps.accounts.models import User

Label = object


@dataclass(frozen=True)
class Count:
    """A label, the number of one person, and the name of the page that lists what is counted."""

    label: Label
    of: Callable[[User], int]
    page: str


class Shown(NamedTuple):
    label: str
    number: int
    url: str


_counts: list[Count] = []


def register(label: Label, of: Callable[[User], int], *, page: str) -> None:
    """Show `of(user)` on the profile page; `label` may be lazily translated, `page` is a URL name."""
    _counts.append(Count(label, of, page))


def shown(user: User, counts: Sequence[Count] = _counts) -> list[Shown]:
    """Every registered number of one person, with the link behind it."""
    return [Shown(str(count.label), count.of(user), reverse(count.page)) for count in counts]
