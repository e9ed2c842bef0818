"""Compares the counts of followers and following with the rows that they count."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Count

from apps.accounts.models import User
from apps.follows.models import Follow, Standing
from apps.redis_kit.findings import Finding
from apps.web import batches

#: People compared at a time.
BATCH_PEOPLE = 500


def compare_counts(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of people past the id `after`, with the differences of their counts."""
    for user_ids in batches.iter_pk_chunks(User.objects.all(), BATCH_PEOPLE, after=after):
        yield user_ids[-1], _check_counts(user_ids, fix=fix)


def _check_counts(user_ids: list[int], *, fix: bool) -> Iterator[Finding]:
    followers = _counts_by_person("followee", user_ids)
    following = _counts_by_person("follower", user_ids)
    stored = Standing.objects.in_bulk(user_ids)
    for user_id in user_ids:
        counts = stored.get(user_id, Standing(pk=user_id))
        expected = (followers.get(user_id, 0), following.get(user_id, 0))
        if (counts.followers, counts.following) != expected:
            yield from _recheck_counts(user_id, fix=fix)


@transaction.atomic
def _recheck_counts(user_id: int, *, fix: bool) -> list[Finding]:
    """Compare one person again while their row is locked, so that no follow can change it."""
    counts = Standing.objects.lock([user_id])[user_id]
    actual = f"{counts.followers} / {counts.following}"
    counts.followers = Follow.objects.filter(followee=user_id).count()
    counts.following = Follow.objects.filter(follower=user_id).count()
    expected = f"{counts.followers} / {counts.following}"
    if fix:
        counts.save()
    return [] if actual == expected else [Finding(f"person {user_id}", "counts", actual, expected)]


def _counts_by_person(column: str, user_ids: list[int]) -> dict[int, int]:
    """The number of Follow rows that have each of the given people in `column`, for people who have any."""
    rows = Follow.objects.filter(**{f"{column}__in": user_ids}).values(column).annotate(rows=Count("pk"))
    return {row[column]: row["rows"] for row in rows}
