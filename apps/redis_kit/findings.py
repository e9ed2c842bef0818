"""What a reconciliation finds: one difference between two places that should say the same."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

#: Things that a finding names of many.
MAX_NAMED = 5


@dataclass(frozen=True)
class Finding:
    """A difference: owner ("note 7"), aspect ("likes"), and the actual and the expected value."""

    owner: str
    aspect: str
    actual: str = ""
    expected: str = ""


def name_few(things: Iterable[int], name: Callable[[int], str] = str) -> str:
    """The names of the first five things in order: "2, 3, 5, 7, 11 …"."""
    names = [name(thing) for thing in sorted(things)]
    return ", ".join(names[:MAX_NAMED]) + (" …" if len(names) > MAX_NAMED else "")
