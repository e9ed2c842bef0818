"""Compares the counts and the sets of saves in Redis with SQL's rows."""

import re
from collections.abc import Iterator

from apps.monitoring.reconcile.parts import Finding
from apps.redis_kit import cache, client
from apps.saves import counts, keys, saved_sets
from apps.saves.subjects import KINDS, Subject
from apps.web import batches

#: Sets, or counts, compared at a time.
BATCH = 500
_COUNT_NAME = re.compile(rf"({'|'.join(KINDS)}):(\d+)$")


def check_sets(fix: bool) -> Iterator[Finding]:
    """Yield people whose set in Redis differs from their rows; with `fix` it is forgotten."""
    # Two comparisons: a save that commits during one of them differs in that one only.
    for user_ids in saved_sets.SETS.iter_owner_batches(BATCH):
        suspects = [user_id for user_id, _actual, _expected in _differing_sets(user_ids)]
        for user_id, actual, expected in _differing_sets(suspects):
            if fix:
                saved_sets.forget(user_id)
            wrong, missing = _name_things(actual - expected), _name_things(expected - actual)
            yield Finding(f"person {user_id}", "saved", wrong, missing)


def _differing_sets(user_ids: list[int]) -> list[tuple[int, set[int], set[int]]]:
    cached = saved_sets.SETS.read_all(user_ids)
    rows = saved_sets.ids_from_sql(cached)
    return [(user_id, ids, rows[user_id]) for user_id, ids in cached.items() if ids != rows[user_id]]


def _name_things(members: set[int]) -> str:
    """Up to five of them: "shop 7, note 2"."""
    names = [f"shop {member}" if member > 0 else f"note {-member}" for member in sorted(members)]
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")


def check_counts(fix: bool) -> Iterator[Finding]:
    """Yield shops and notes whose count in Redis differs; with `fix` it is forgotten."""
    for subjects in batches.chunked(_counted_subjects(), BATCH):
        suspects = [subject for subject, _actual, _expected in _differing_counts(subjects)]
        for subject, actual, expected in _differing_counts(suspects):
            if fix:
                counts.COUNTS.invalidate(*subject)
            yield Finding(f"{subject.kind} {subject.pk}", "saves", str(actual), str(expected))


def _counted_subjects() -> Iterator[Subject]:
    for name in client.get(cache.CONNECTION).scan_iter(match=keys.COUNT.scan_pattern, count=BATCH):
        if found := _COUNT_NAME.search(str(name)):
            yield Subject(found[1], int(found[2]))  # type: ignore[arg-type]


def _differing_counts(subjects: list[Subject]) -> list[tuple[Subject, int, int]]:
    cached, rows = counts.COUNTS.peek_many(subjects), counts.count_many(subjects)
    pairs = zip(subjects, cached, strict=True)
    return [(one, actual, rows[one]) for one, actual in pairs if actual is not None and actual != rows[one]]
