"""Sets of ids in Redis, one an owner, that readers fill from SQL under leases.

    SETS = LeasedSets(keys.FOLLOWING, keys.FOLLOWING_LEASE, load=read_sql, ttl=timedelta(days=7))
    SETS.load([7])  ->  {7: {2, 3}}, which Redis then has too
    transaction.on_commit(partial(SETS.forget, 7))

A reader takes a lease, reads the rows, and fills the set if the lease is still its own. A change writes no
member: after its commit it deletes the set and the lease. Deletions may arrive in any order, and rows that
were read before the commit are refused, so a change is neither lost nor restored by mistake. Each filled set
contains the member 0, so an empty set differs from a missing one ("not cached").
"""

import re
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta

from apps.redis_kit import client, schema, scripts

Ids = set[int]

#: The member that marks a set as complete; ids are never 0.
COMPLETE_MARK = 0
LEASE_TTL = timedelta(seconds=10)
FILL_SET = scripts.Script("fill_leased_set", package="apps.redis_kit", reply=bool)
_OWNER = re.compile(r"(\d+)\}?$")


class LeasedSets:
    """The sets of a declared key, whose one part is the owner's id, as that of the lease is.

    `load` reads the sets of some owners from SQL. Every method but `load` may raise `client.UNAVAILABLE`.
    """

    def __init__(
        self,
        key: schema.Key,
        lease: schema.Key,
        *,
        load: Callable[[Collection[int]], Mapping[int, Ids]],
        ttl: timedelta,
    ) -> None:
        self._key, self._lease, self._load, self._ttl = key, lease, load, ttl

    def key(self, owner_id: int) -> str:
        """The key of an owner's set."""
        return self._key(**{self._key.fields[0]: owner_id})

    def load(self, owner_ids: Collection[int]) -> Mapping[int, Ids]:
        """{owner id: ids} from SQL, which Redis then has too if it is there: two round trips for all."""
        token = ""
        with suppress(*client.UNAVAILABLE):
            token = self.take_leases(owner_ids)
        sets = self._load(owner_ids)
        if token:
            with suppress(*client.UNAVAILABLE):
                self.fill(sets, token)
        return sets

    def rebuild(self, owner_ids: Collection[int]) -> int:
        """Fill the sets of these owners; returns the number of sets that were filled."""
        token = self.take_leases(owner_ids)
        return self.fill(self._load(owner_ids), token)

    def take_leases(self, owner_ids: Collection[int]) -> str:
        """A new token with which these sets may be filled; a later reader or a change invalidates it."""
        token = secrets.token_hex(8)
        with client.get().pipeline(transaction=False) as pipe:
            for owner_id in owner_ids:
                pipe.set(self._lease_key(owner_id), token, ex=LEASE_TTL)
            pipe.execute()
        return token

    def fill(self, sets: Mapping[int, Ids], token: str) -> int:
        """Fill the sets whose lease still has this token; returns their number."""
        seconds = int(self._ttl.total_seconds())
        calls: list[scripts.Call] = [
            ([self.key(owner_id), self._lease_key(owner_id)], [token, seconds, COMPLETE_MARK, *ids])
            for owner_id, ids in sets.items()
        ]
        return sum(FILL_SET.call_many(client.get(), calls)[0])

    def forget(self, owner_id: int) -> None:
        """Drop an owner's set and lease after a change; who has read SQL already may no longer fill it."""
        client.get().delete(self.key(owner_id), self._lease_key(owner_id))

    def read_all(self, owner_ids: Iterable[int]) -> dict[int, Ids]:
        """{owner id: ids} of those of these sets that are cached and complete; one round trip."""
        owners = list(owner_ids)
        with client.get().pipeline(transaction=False) as pipe:
            for owner_id in owners:
                pipe.smembers(self.key(owner_id))
            sets = [{int(member) for member in members} for members in pipe.execute()]
        pairs = zip(owners, sets, strict=True)
        return {owner_id: ids - {COMPLETE_MARK} for owner_id, ids in pairs if COMPLETE_MARK in ids}

    def iter_owner_batches(self, size: int) -> Iterator[list[int]]:
        """Ids of the owners who have a cached set, in lists of at most `size`; the last one may be empty."""
        batch: list[int] = []
        for name in client.get().scan_iter(match=self._key.scan_pattern, count=size):
            if found := _OWNER.search(str(name)):
                batch.append(int(found[1]))
            if len(batch) == size:
                yield batch
                batch = []
        yield batch

    def _lease_key(self, owner_id: int) -> str:
        return self._lease(**{self._lease.fields[0]: owner_id})
