"""What a notification is about, as its list shows it: the apps that have notes, orders … register how."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from apps.web.registry import Registry


class Target(NamedTuple):
    """A thing with its title in the active language, and the page that opens it; `picture` is a URL or "".

    `state` is what became of it since, where sentences about it say so: "returned" of money that arrived.
    """

    title: str
    url: str
    picture: str = ""
    state: str = ""


class TargetSource(Protocol):
    """Loads things of one kind."""

    def load(self, ids: Collection[int], reader_id: int) -> Mapping[int, Target]:
        """The things of these ids that this person may open; a constant number of queries."""


#: By the target kind that `notify` was given.
TARGETS: Registry[TargetSource] = Registry("targets of notifications")


def load(wanted: Iterable[tuple[str, int]], reader_id: int) -> dict[tuple[str, int], Target]:
    """{(kind, id): target} of those that are still there."""
    ids: dict[str, set[int]] = {}
    for kind, target_id in wanted:
        ids.setdefault(kind, set()).add(target_id)
    found: dict[tuple[str, int], Target] = {}
    for kind, some in ids.items():
        source = TARGETS.get(kind)
        if source is not None:
            found |= {(kind, one): target for one, target in source.load(some, reader_id).items()}
    return found
