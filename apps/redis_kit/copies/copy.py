"""What all copies have in common: they are compared with SQL's rows, dropped if they differ, and rebuilt."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Generic, TypeVar

from apps.redis_kit import client, schema
from apps.redis_kit.findings import Finding

Owner = TypeVar("Owner")
Contents = TypeVar("Contents")
#: How many owners there are, and lists of them.
OwnerBatches = tuple[int, Iterable[list[Owner]]]
#: Copies compared at a time.
BATCH_COPIES = 500


def parse_id(parts: Mapping[str, str]) -> int | None:
    """The owner of a key with one part, a row's id; 0 of a key without a part; None of another key."""
    (part,) = parts.values() or ("0",)
    return int(part) if part.isdecimal() else None


class Copy(Generic[Owner, Contents]):
    """A structure in Redis for each owner, which says what SQL's rows say or is absent.

    - `read_copies` returns the contents of complete copies among those of some owners, `query` SQL's of all;
    - `forget` drops the copies of owners, so that later readers fill or replace them;
    - `fill` makes copies from SQL and returns their number; `owners` are those whom a rebuild makes one for;
    - `describe` yields the findings for contents that differ: owner, actual and expected;
    - `parse_owner` makes the owner of the parts of a key; None for a key of no owner.

    All of them may raise client.UNAVAILABLE.
    """

    def __init__(
        self,
        key: schema.Key,
        *,
        read_copies: Callable[[Collection[Owner]], Mapping[Owner, Contents]],
        query: Callable[[Collection[Owner]], Mapping[Owner, Contents]],
        forget: Callable[[Collection[Owner]], object],
        describe: Callable[[Owner, Contents, Contents], Iterable[Finding]],
        fill: Callable[[Collection[Owner]], int] | None = None,
        owners: Callable[[], OwnerBatches[Owner]] | None = None,
        parse_owner: Callable[[Mapping[str, str]], Any] = parse_id,
        connection: str = "default",
    ) -> None:
        self.key, self.read_copies, self.query, self.forget = key, read_copies, query, forget
        self._describe, self._fill, self._owners = describe, fill, owners
        self._parse_owner, self._connection = parse_owner, connection

    def rebuild(self, report: schema.ReportProgress) -> int:
        """Fill the copies of all owners from SQL; returns the number of copies that were filled."""
        assert self._fill, "a copy that is rebuilt declares `fill`"
        assert self._owners, "a copy that is rebuilt declares `owners`"
        total, batches = self._owners()
        done = filled = 0
        for owners in batches:
            filled += self._fill(owners)
            done += len(owners)
            report(done, max(done, total))
        return filled

    def iter_owners(self) -> Iterator[Owner]:
        """The owners who have a copy in Redis, some perhaps twice."""
        if not self.key.fields:
            yield self._parse_owner({})
            return
        names = client.get(self._connection).scan_iter(match=self.key.scan_pattern, count=BATCH_COPIES)
        for name in names:
            parts = self.key.parse(str(name))
            owner = None if parts is None else self._parse_owner(parts)
            if owner is not None:
                yield owner

    def check_all(self, fix: bool) -> Iterator[Finding]:
        """`check` for everybody who has a copy."""
        owners = self.iter_owners()
        while batch := list(islice(owners, BATCH_COPIES)):
            yield from self.check(batch, fix=fix)

    def compare(
        self: "Copy[int, Contents]", fix: bool, after: int = 0
    ) -> Iterator[tuple[int, list[Finding]]]:
        """`check_all` for owners who are rows' ids past `after`: yields the last id of each batch as well."""
        ids = sorted({owner for owner in self.iter_owners() if owner > after or not self.key.fields})
        for first in range(0, len(ids), BATCH_COPIES):
            batch = ids[first : first + BATCH_COPIES]
            yield batch[-1], self.check(batch, fix=fix)

    def check(self, owners: Collection[Owner], *, fix: bool) -> list[Finding]:
        """What differs from SQL in the copies of these owners, each found twice; `fix` drops such copies."""
        # A change that commits during one of the two comparisons differs in that one only.
        first = self._find_differences(owners)
        suspects = {(finding.owner, finding.aspect) for _owner, finding in first}
        again = self._find_differences(dict.fromkeys(owner for owner, _finding in first))
        wrong = [pair for pair in again if (pair[1].owner, pair[1].aspect) in suspects]
        if fix and wrong:
            self.forget(dict.fromkeys(owner for owner, _finding in wrong))
        return [finding for _owner, finding in wrong]

    def _find_differences(self, owners: Collection[Owner]) -> list[tuple[Owner, Finding]]:
        # Redis first: what SQL says afterwards may be newer, which the second comparison sees.
        copies = self.read_copies(owners) if owners else {}
        rows = self.query(copies) if copies else {}
        return [
            (owner, finding)
            for owner, copied in copies.items()
            if copied != rows[owner]
            for finding in self._describe(owner, copied, rows[owner])
        ]
