"""Counts and sets held against the rows, which are the truth."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count

from apps.accounts.models import User
from apps.follows import following_sets, walking
from apps.follows.models import Follow, Standing

#: People compared at a time.
BATCH = 500


@dataclass(frozen=True)
class Drift:
    """Of one person: "counts" (followers / following), or "set": whom only it names, whom only rows do."""

    user_id: int
    what: str
    held: str
    rows: str


def drift(*, fix: bool = False) -> list[Drift]:
    """Everything that disagrees with the rows, looked at twice; with `fix` it is right afterwards."""
    return [*_counts(fix=fix), *_sets(fix=fix)]


def _counts(*, fix: bool) -> Iterator[Drift]:
    for some in walking.pks(User.objects.all(), BATCH):
        followers, following = _counted("followee", some), _counted("follower", some)
        held = Standing.objects.in_bulk(some)
        for user_id in some:
            row = held.get(user_id, Standing(pk=user_id))
            if (row.followers, row.following) != (followers.get(user_id, 0), following.get(user_id, 0)):
                found = _recount(user_id, fix=fix)
                if found.held != found.rows:
                    yield found


@transaction.atomic
def _recount(user_id: int, *, fix: bool) -> Drift:
    """Once more, while nobody can follow this person or be followed by them."""
    row = Standing.objects.lock([user_id])[user_id]
    held = f"{row.followers} / {row.following}"
    row.followers = Follow.objects.filter(followee=user_id).count()
    row.following = Follow.objects.filter(follower=user_id).count()
    if fix:
        row.save()
    return Drift(user_id, "counts", held, f"{row.followers} / {row.following}")


def _sets(*, fix: bool) -> Iterator[Drift]:
    for some in following_sets.present(BATCH):
        for found in _differing([one.user_id for one in _differing(some)]):
            if fix:
                following_sets.forget(found.user_id)
            yield found


def _differing(user_ids: list[int]) -> list[Drift]:
    """Whose sets say other than the rows; a follow that commits meanwhile does so only once."""
    held = following_sets.held(user_ids)
    rows = following_sets.rows(held)
    wrong = [user_id for user_id in held if held[user_id] != rows[user_id]]
    return [Drift(one, "set", _named(held[one] - rows[one]), _named(rows[one] - held[one])) for one in wrong]


def _named(ids: set[int]) -> str:
    """A few of them, to look for."""
    return ", ".join(map(str, sorted(ids)[:5])) + (" …" if len(ids) > 5 else "")


def _counted(end: str, user_ids: list[int]) -> dict[int, int]:
    """How many rows have each of these people at one end, who have any."""
    rows = Follow.objects.filter(**{f"{end}__in": user_ids}).values(end).annotate(rows=Count("pk"))
    return {row[end]: row["rows"] for row in rows}
