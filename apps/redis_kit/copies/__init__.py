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

from apps.redis_kit.copies.copy import Copy, OwnerBatches
from apps.redis_kit.copies.leased import Ids, LeasedCopy, LeasedList, LeasedSet, LeasedValue, lease_key

__all__ = ["Copy", "Ids", "LeasedCopy", "LeasedList", "LeasedSet", "LeasedValue", "OwnerBatches", "lease_key"]
