"""Parts of the reconciliation: each compares one kind of Redis keys, or of counts in SQL, with SQL's rows.

An app registers its parts in its provides.py:

    parts.register("blog.dishes", dishes.check, about="dishes: how many notes recommend them")

A part that walks all rows of a table registers batches instead, so that the schedule can stop and go on:

    parts.register("blog.notes", batches=reconcile.compare_counts, about="likes, comments and heat of notes")
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from apps.redis_kit.findings import Finding
from apps.web.registry import Registry

#: How often the schedule runs a part that says nothing else.
USUAL_PERIOD = timedelta(hours=1)
#: Of several walks in turn, the number of the walk stands above a row's id.
MAX_IDS_OF_A_WALK = 1 << 48


#: check(fix) yields every difference; with True it repairs each. Raises client.UNAVAILABLE without Redis.
Check = Callable[[bool], Iterable[Finding]]
#: batches(fix, after) yields (a batch's last id, its differences) for all rows past the id `after`.
Batches = Callable[[bool, int], Iterator[tuple[int, Iterable[Finding]]]]


@dataclass(frozen=True)
class Part:
    """One part. `count` says how many things it compares; `period` None: its app has its own schedule.

    What one that is compared in `batches` finds by itself, such as strangers in an index, is its last batch.
    """

    name: str
    batches: Batches
    about: str
    count: Callable[[], int] | None = None
    period: timedelta | None = USUAL_PERIOD

    def check(self, fix: bool) -> Iterator[Finding]:
        """Every difference of all batches."""
        for _last, found in self.batches(fix, 0):
            yield from found


class UnknownPart(LookupError):
    """No part has that name, or belongs to an app of that name."""


PARTS: Registry[Part] = Registry("parts of the reconciliation")


def register(
    name: str,
    check: Check | None = None,
    *,
    about: str,
    batches: Batches | None = None,
    count: Callable[[], int] | None = None,
    period: timedelta | None = USUAL_PERIOD,
    order: int = 50,
) -> None:
    """Add a part "app.subject"; parts run by `order`, which is lower for what others build on."""
    if batches is None:
        assert check, f"{name}: a check or batches"
        batches = whole(check)
    PARTS.register(Part(name, batches, about, count, period), key=name, order=order)


def whole(check: Check) -> Batches:
    """A check that can't stop in between, as one batch."""

    def compare(fix: bool, after: int) -> Iterator[tuple[int, Iterable[Finding]]]:
        yield after, check(fix)

    return compare


def in_turn(*walks: Batches) -> Batches:
    """These walks one after the other as one that can stop in each, as over the rows of several tables.

    A walk's last batch may be for no row: it gives the id that the walk began after.
    """

    def take_turns(fix: bool, after: int) -> Iterator[tuple[int, Iterable[Finding]]]:
        first, row = divmod(after, MAX_IDS_OF_A_WALK)
        for number in range(first, len(walks)):
            reached = row
            for last, found in walks[number](fix, row):
                reached = last if last > reached else MAX_IDS_OF_A_WALK
                yield number * MAX_IDS_OF_A_WALK + reached, found
            row = 0

    return take_turns


def select(names: Sequence[str] = ()) -> list[Part]:
    """The parts of the given names, each "app" or "app.subject", in their order; all without a name."""
    known = PARTS.entries()
    for name in names:
        if not any(_belongs(part, name) for part in known):
            raise UnknownPart(name)
    return [part for part in known if not names or any(_belongs(part, name) for name in names)]


def _belongs(part: Part, name: str) -> bool:
    return part.name == name or part.name.startswith(f"{name}.")
