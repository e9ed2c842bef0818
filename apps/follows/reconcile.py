"""Counts and sets held against the rows, which are the truth."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count

from apps.accounts.models import User
from apps.follows import following_sets
from apps.follows.models import Follow, Standing
from apps.web import batches

#: People compared at a time.
BATCH_PEOPLE = 500


@dataclass(frozen=True)
class Drift:
    """Of one person: "counts" (followers / following), or "set": whom only it names, whom only rows do."""

    user_id: int
    what: str
    held: str
    rows: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Everything that disagrees with the rows, looked at twice; with `fix` it is right afterwards."""
    return [*_check_counts(fix=fix), *_check_sets(fix=fix)]


def _check_counts(*, fix: bool) -> Iterator[Drift]:
    for some in batches.iter_pk_chunks(User.objects.all(), BATCH_PEOPLE):
        followers, following = _counts_by_person("followee", some), _counts_by_person("follower", some)
        held = Standing.objects.in_bulk(some)
        for user_id in some:
            row = held.get(user_id, Standing(pk=user_id))
            if (row.followers, row.following) != (followers.get(user_id, 0), following.get(user_id, 0)):
                found = _recheck_counts(user_id, fix=fix)
                if found.held != found.rows:
                    yield found


@transaction.atomic
def _recheck_counts(user_id: int, *, fix: bool) -> Drift:
    """Once more, while nobody can follow this person or be followed by them."""
    row = Standing.objects.lock([user_id])[user_id]
    held = f"{row.followers} / {row.following}"
    row.followers = Follow.objects.filter(followee=user_id).count()
    row.following = Follow.objects.filter(follower=user_id).count()
    if fix:
        row.save()
    return Drift(user_id, "counts", held, f"{row.followers} / {row.following}")


def _check_sets(*, fix: bool) -> Iterator[Drift]:
    for some in following_sets.iter_user_id_batches(BATCH_PEOPLE):
        for found in _differing_sets([one.user_id for one in _differing_sets(some)]):
            if fix:
                following_sets.forget(found.user_id)
            yield found


def _differing_sets(user_ids: list[int]) -> list[Drift]:
    """Whose sets say other than the rows; a follow that commits meanwhile does so only once."""
    held = following_sets.read_all(user_ids)
    rows = following_sets.ids_from_sql(held)
    wrong = [user_id for user_id in held if held[user_id] != rows[user_id]]
    return [
        Drift(one, "set", _name_people(held[one] - rows[one]), _name_people(rows[one] - held[one]))
        for one in wrong
    ]


def _name_people(ids: set[int]) -> str:
    """A few of them, to look for."""
    return ", ".join(map(str, sorted(ids)[:5])) + (" …" if len(ids) > 5 else "")


def _counts_by_person(end: str, user_ids: list[int]) -> dict[int, int]:
    """How many rows have each of these people at one end, who have any."""
    rows = Follow.objects.filter(**{f"{end}__in": user_ids}).values(end).annotate(rows=Count("pk"))
    return {row[end]: row["rows"] for row in rows}
