"""Compares the counts of followers in SQL, and the following sets in Redis, with SQL's rows."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count

from apps.accounts.models import User
from apps.follows import following_sets
from apps.follows.models import Follow, Standing
from apps.monitoring.reconcile.parts import Finding
from apps.web import batches

#: People compared at a time.
BATCH_PEOPLE = 500


@dataclass(frozen=True)
class Drift:
    """A person's "counts" (followers / following), or "set" (ids only in Redis, ids only in SQL)."""

    user_id: int
    aspect: str
    actual: str
    expected: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Every difference from SQL's rows, each checked twice; with `fix` they are repaired."""
    return [difference for _last, found in compare(fix) for difference in found]


def compare(fix: bool, after: int = 0) -> Iterator[tuple[int, Iterator[Drift]]]:
    """Yield the last id of each batch of people past the id `after`, and its differences; then the sets'."""
    for user_ids in batches.iter_pk_chunks(User.objects.all(), BATCH_PEOPLE, after=after):
        yield user_ids[-1], _check_counts(user_ids, fix=fix)
    yield after, _check_sets(fix=fix)


def _check_counts(user_ids: list[int], *, fix: bool) -> Iterator[Drift]:
    followers = _counts_by_person("followee", user_ids)
    following = _counts_by_person("follower", user_ids)
    stored = Standing.objects.in_bulk(user_ids)
    for user_id in user_ids:
        counts = stored.get(user_id, Standing(pk=user_id))
        expected = (followers.get(user_id, 0), following.get(user_id, 0))
        if (counts.followers, counts.following) != expected:
            yield from _recheck_counts(user_id, fix=fix)


@transaction.atomic
def _recheck_counts(user_id: int, *, fix: bool) -> list[Drift]:
    """Compare one person again while their row is locked, so that no follow can change it."""
    counts = Standing.objects.lock([user_id])[user_id]
    actual = f"{counts.followers} / {counts.following}"
    counts.followers = Follow.objects.filter(followee=user_id).count()
    counts.following = Follow.objects.filter(follower=user_id).count()
    expected = f"{counts.followers} / {counts.following}"
    if fix:
        counts.save()
    return [] if actual == expected else [Drift(user_id, "counts", actual, expected)]


def _check_sets(*, fix: bool) -> Iterator[Drift]:
    # Two comparisons: a follow that commits during one of them differs in that one only.
    for user_ids in following_sets.SETS.iter_owner_batches(BATCH_PEOPLE):
        suspects = [difference.user_id for difference in _differing_sets(user_ids)]
        for difference in _differing_sets(suspects):
            if fix:
                following_sets.forget(difference.user_id)
            yield difference


def _differing_sets(user_ids: list[int]) -> list[Drift]:
    cached = following_sets.SETS.read_all(user_ids)
    rows = following_sets.ids_from_sql(cached)
    return [
        Drift(user_id, "set", _name_people(ids - rows[user_id]), _name_people(rows[user_id] - ids))
        for user_id, ids in cached.items()
        if ids != rows[user_id]
    ]


def _name_people(ids: set[int]) -> str:
    """Up to five of the ids, in order."""
    return ", ".join(map(str, sorted(ids)[:5])) + (" …" if len(ids) > 5 else "")


def _counts_by_person(column: str, user_ids: list[int]) -> dict[int, int]:
    """The number of Follow rows that have each of these people in `column`, for people who have any."""
    rows = Follow.objects.filter(**{f"{column}__in": user_ids}).values(column).annotate(rows=Count("pk"))
    return {row[column]: row["rows"] for row in rows}


def find_differences(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch past the id `after`, with its differences."""
    for last, differences in compare(fix, after):
        yield last, map(_finding, differences)


def _finding(found: Drift) -> Finding:
    return Finding(f"person {found.user_id}", found.aspect, found.actual, found.expected)
