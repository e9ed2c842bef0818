"""Copies in Redis of rows of SQL: declared once, complete or absent, and dropped if they missed a change.

    SETS = copies.LeasedSet(
        keys.FOLLOWING, keys.FOLLOWING_LEASE, query=ids_from_sql, expiry=WEEK, finding=("person", "set"), …
    )
    SETS.read(7)                                               ->  {2, 3}; from SQL where Redis has no copy
    transaction.on_commit(partial(SETS.forget, [7]))           # after each change
    rebuilding.register(SETS, label)                           # the `rebuilt_from` of the key
    parts.register("follows.sets", batches=SETS.compare, …)    # the reconciliation

Readers fill a `LeasedSet`, `LeasedList` or `LeasedValue` under a lease, and a change deletes it. An app whose
scripts or commands change a copy in place declares a `Copy` with functions of its own, which is compared,
dropped and rebuilt in the same way.
"""

import json
import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from typing import Any, Generic, TypeVar

from apps.redis_kit import client, schema, scripts, transport
from apps.redis_kit.findings import Finding, name_few
from apps.redis_kit.schema import marked as _
from apps.redis_kit.transport import Command

Owner = TypeVar("Owner")
Contents = TypeVar("Contents")
#: How many owners there are, and lists of them.
OwnerBatches = tuple[int, Iterable[list[Owner]]]
#: Copies compared at a time.
BATCH_COPIES = 500

Element = TypeVar("Element")
Ids = set[int]
#: The member of each complete set; ids are never 0.
COMPLETE_MEMBER = 0
#: The first element of each complete list.
COMPLETE_MARK = "*"
LEASE_TTL = timedelta(seconds=10)
FILL_COPY = scripts.Script("fill_copy", package="apps.redis_kit", reply=bool)
log = logging.getLogger(__name__)


def parse_id(parts: Mapping[str, str]) -> int | None:
    """The owner of a key with one part, a row's id; 0 of a key without a part; None of another key."""
    (part,) = parts.values() or ("0",)
    return int(part) if part.isdecimal() else None


class Copy(Generic[Owner, Contents]):
    """A structure in Redis for each owner, which says what SQL's rows say or is absent.

    - `read_copies` returns the contents of complete copies among those of some owners, `query` SQL's of all;
    - `forget` drops the copies of owners, so that later readers fill or replace them;
    - `fill` makes copies from SQL and returns their number; `owners` are those that a rebuild makes one for;
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
        """What differs from SQL in the copies of the owners, each found twice; `fix` drops such copies."""
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


def lease_key(pattern: str) -> schema.Key:
    """Declare the key of the lease to fill a copy; its parts are the copy's, and both are in one slot."""
    return schema.key(
        pattern,
        type="string",
        about=_("token of the reader who fills the copy from SQL; a change meanwhile deletes it"),
        writer="redis_kit.copies",
        expiry=_("10 seconds"),
        expendable=_(
            "without it the rows that were read are not copied, and the next reader reads them again"
        ),
    )


class LeasedCopy(Copy[int, Contents], ABC, Generic[Contents]):
    """A copy for each owner, a row's id; a key without a part has the one owner 0.

    `query` reads owners' contents from SQL. A copy expires `expiry` after it was filled, or after `read` last
    read it, if it is renewed. `finding` says whose a copy is, and what of them: ("person", "saved"). `decode`
    makes an element of its text.
    """

    #: The command that adds elements to a copy.
    add_command: str

    def __init__(
        self,
        key: schema.Key,
        lease: schema.Key,
        *,
        query: Callable[[Collection[int]], Mapping[int, Contents]],
        expiry: timedelta,
        finding: tuple[str, str],
        owners: Callable[[], OwnerBatches[int]] | None = None,
        decode: Callable[[str], Any] = int,
        is_renewed: bool = False,
    ) -> None:
        super().__init__(
            key,
            read_copies=self._read_copies,
            query=query,
            forget=self._forget,
            describe=self._describe_difference,
            fill=self._refill,
            owners=owners,
        )
        self._lease, self._finding, self._decode = lease, finding, decode
        self._is_renewed, self.expiry_seconds = is_renewed, int(expiry.total_seconds())

    @abstractmethod
    def command(self, owner: int) -> Command:
        """The command whose reply `parse` reads."""

    @abstractmethod
    def parse(self, reply: Any) -> Contents | None:
        """The contents of a copy; None when it is absent."""

    @abstractmethod
    def _list_elements(self, contents: Contents) -> Sequence[scripts.Arg]:
        """The elements of a complete copy."""

    @abstractmethod
    def _name_difference(self, actual: Contents, expected: Contents) -> tuple[str, str]:
        """What a finding says of the copy, and of the rows."""

    def copy_key(self, owner: int) -> str:
        """The key of an owner's copy."""
        return self.key(**dict.fromkeys(self.key.fields, owner))

    def keys(self, owner: int) -> tuple[str, str]:
        """The keys of an owner's copy and lease, which a change deletes."""
        return self.copy_key(owner), self._lease(**dict.fromkeys(self._lease.fields, owner))

    def read(self, owner: int) -> Contents:
        """An owner's contents, in one round trip; from SQL where Redis has no copy, which it then gets."""
        try:
            found = self.parse(self._execute(self.command(owner), [owner]))
        except client.UNAVAILABLE:
            return self.query([owner])[owner]
        return self.load([owner])[owner] if found is None else found

    def load(self, owners: Collection[int]) -> Mapping[int, Contents]:
        """{owner: contents} from SQL, which Redis then has too if it is there: two round trips for all."""
        token = ""
        with suppress(*client.UNAVAILABLE):
            token = self.take_leases(owners)
        rows = self.query(owners)
        if token:
            with suppress(*client.UNAVAILABLE):
                self.fill(rows, token)
        return rows

    def take_leases(self, owners: Collection[int]) -> str:
        """A new token with which these copies may be filled; a later reader or a change invalidates it."""
        token, seconds = secrets.token_hex(8), int(LEASE_TTL.total_seconds())
        commands = [("SET", self.keys(owner)[1], token, "EX", seconds) for owner in owners]
        transport.execute_many(client.get(), commands)
        return token

    def fill(self, rows: Mapping[int, Contents], token: str) -> int:
        """Fill the copies whose lease still has this token; returns their number."""
        calls: list[scripts.Call] = [
            (self.keys(owner), [token, self.expiry_seconds, self.add_command, *self._list_elements(contents)])
            for owner, contents in rows.items()
        ]
        return sum(FILL_COPY.call_many(client.get(), calls)[0])

    def _execute(self, command: Command, owners: Collection[int]) -> Any:
        """The reply to a command that reads these owners' copies, and renews them if they are renewed."""
        renewed = owners if self._is_renewed else ()
        renewals = [("EXPIRE", self.copy_key(owner), self.expiry_seconds) for owner in renewed]
        return transport.execute_many(client.get(), [command, *renewals])[0]

    def _refill(self, owners: Collection[int]) -> int:
        token = self.take_leases(owners)
        return self.fill(self.query(owners), token)

    def _forget(self, owners: Collection[int]) -> None:
        """Drop copies and leases after a change; who has read SQL already may no longer fill them."""
        try:
            transport.execute_many(client.get(), [("DEL", *self.keys(owner)) for owner in owners])
        except client.UNAVAILABLE:
            log.warning(
                "Redis is away: %s of %s may be outdated until reconciled", self.key.pattern, list(owners)
            )

    def _read_copies(self, owners: Collection[int]) -> dict[int, Contents]:
        replies = transport.execute_many(client.get(), list(map(self.command, owners)))
        copies = {owner: self.parse(reply) for owner, reply in zip(owners, replies, strict=True)}
        return {owner: contents for owner, contents in copies.items() if contents is not None}

    def _describe_difference(self, owner: int, actual: Contents, expected: Contents) -> list[Finding]:
        whose, what = self._finding
        named = f"{whose} {owner}" if self.key.fields else whose
        return [Finding(named, what, *self._name_difference(actual, expected))]


class LeasedSet(LeasedCopy[Ids]):
    """Sets of ids; each complete one has the member 0, so that an empty set differs from an absent one."""

    add_command = "SADD"

    def command(self, owner: int) -> Command:
        return ("SMEMBERS", self.copy_key(owner))

    def parse(self, reply: Any) -> Ids | None:
        ids = set(map(self._decode, reply))
        return ids - {COMPLETE_MEMBER} if COMPLETE_MEMBER in ids else None

    def subset_command(self, owner: int, ids: Collection[int]) -> Command:
        """The command whose reply `parse_subset` reads."""
        return ("SMISMEMBER", self.copy_key(owner), COMPLETE_MEMBER, *ids)

    def parse_subset(self, reply: Sequence[int], ids: Collection[int]) -> Ids | None:
        """Those of the ids of `subset_command` that the set has; None when it is absent."""
        is_complete, *marks = reply
        return {one for one, mark in zip(ids, marks, strict=True) if mark} if is_complete else None

    def subset(self, owner: int, ids: Collection[int]) -> Ids:
        """The given ids that an owner's set has, as `read` reads."""
        try:
            found = self.parse_subset(self._execute(self.subset_command(owner, ids), [owner]), ids)
        except client.UNAVAILABLE:
            return self.query([owner])[owner].intersection(ids)
        return self.load([owner])[owner].intersection(ids) if found is None else found

    def intersection(self, *owners: int) -> Ids:
        """The ids that the sets of the owners have in common, as `read` reads; all sets share a slot."""
        try:
            # Each complete set has the member 0, so what they have in common has it if all are complete.
            names = [self.copy_key(owner) for owner in owners]
            found = self.parse(self._execute(("SINTER", *names), owners))
        except client.UNAVAILABLE:
            return set.intersection(*self.query(owners).values())
        return set.intersection(*self.load(owners).values()) if found is None else found

    def _list_elements(self, contents: Ids) -> list[int]:
        return [COMPLETE_MEMBER, *contents]

    def name_member(self, member: int) -> str:
        """The name of a member in a finding."""
        return str(member)

    def _name_difference(self, actual: Ids, expected: Ids) -> tuple[str, str]:
        return name_few(actual - expected, self.name_member), name_few(expected - actual, self.name_member)


class LeasedList(LeasedCopy[list[Element]], Generic[Element]):
    """Lists of JSON; each complete one begins with "*", so that an empty list differs from an absent one."""

    add_command = "RPUSH"

    def command(self, owner: int) -> Command:
        return ("LRANGE", self.copy_key(owner), 0, -1)

    def parse(self, reply: Any) -> list[Element] | None:
        return [self._decode(text) for text in reply[1:]] if reply and reply[0] == COMPLETE_MARK else None

    def _list_elements(self, contents: Sequence[Element]) -> list[str]:
        return [COMPLETE_MARK, *map(json.dumps, contents)]

    def _name_difference(self, actual: Sequence[Element], expected: Sequence[Element]) -> tuple[str, str]:
        # Not the elements themselves, which may be private.
        same = sum(one == other for one, other in zip(actual, expected, strict=False))
        return f"{len(actual)}, {same} of them right", str(len(expected))


class LeasedValue(LeasedCopy[Element], Generic[Element]):
    """Single values, as the one element, JSON, of a list."""

    add_command = "RPUSH"

    def command(self, owner: int) -> Command:
        return ("LINDEX", self.copy_key(owner), 0)

    def parse(self, reply: Any) -> Element | None:
        return self._decode(reply) if reply else None

    def _list_elements(self, contents: Element) -> list[str]:
        return [json.dumps(contents)]

    def name_value(self, value: Element) -> str:
        """What a finding says of a value."""
        return str(value)

    def _name_difference(self, actual: Element, expected: Element) -> tuple[str, str]:
        return self.name_value(actual), self.name_value(expected)
