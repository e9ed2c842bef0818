"""Makes the follows among the demo's people."""

from collections.abc import Collection, Iterator
from datetime import timedelta
from random import Random

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from apps.blog.feed import inboxes
from apps.demo.social import roles
from apps.follows import graph
from apps.follows.models import Follow, Standing

SPAN = timedelta(days=80)


@transaction.atomic
def make(*, seed: int) -> int:
    """Create the follows of people without follow counts (Standing) yet; returns the number of new rows."""
    circle = roles.Roles.load()
    everybody = [*circle.everybody, circle.customer_id]
    known = set(Standing.objects.filter(pk__in=everybody).values_list("pk", flat=True))
    rows = [row for one in everybody if one not in known for row in _build_follows(one, circle, seed)]
    Follow.objects.bulk_create(sorted(rows, key=lambda row: row.created_at))
    if rows:
        _update_counts(everybody)
        transaction.on_commit(lambda: _drop_redis_copies({row.follower_id for row in rows}))
    return len(rows)


def _build_follows(user_id: int, circle: roles.Roles, seed: int) -> Iterator[Follow]:
    if user_id == circle.customer_id:
        chance, chosen = Random(f"{seed}:ties:customer"), set(circle.regulars)
    else:
        place = circle.everybody.index(user_id)
        chance = Random(f"{seed}:ties:{place}")
        chosen = set(_pick_followees(circle, chance)) - {user_id}
    now = timezone.now()
    for followee_id in sorted(chosen):
        yield Follow(
            follower_id=user_id, followee_id=followee_id, created_at=now - SPAN * (0.02 + chance.random())
        )


def _pick_followees(circle: roles.Roles, chance: Random) -> Iterator[int]:
    yield from chance.sample(circle.everybody, chance.randint(3, 14))
    yield from (one for one in circle.regulars if chance.random() < 0.3)
    if chance.random() < 0.9:
        yield circle.everybody[0]
    if chance.random() < 0.15:
        yield circle.customer_id


def _drop_redis_copies(followers: Collection[int]) -> None:
    """Drop the follow sets and feeds in Redis: on a site already in use they lack the new follows."""
    graph.SETS.forget(followers)
    inboxes.forget(*followers)


def _update_counts(everybody: list[int]) -> None:
    """Write the follower and following counts of the given people, counted from the rows."""
    counted = {}
    for name in ("followee", "follower"):
        rows = Follow.objects.filter(**{f"{name}__in": everybody}).order_by()
        counted[name] = dict(rows.values_list(name).annotate(Count("pk")))
    standings = [
        Standing(
            user_id=one, followers=counted["followee"].get(one, 0), following=counted["follower"].get(one, 0)
        )
        for one in everybody
    ]
    fields = ["followers", "following"]
    Standing.objects.bulk_create(
        standings, update_conflicts=True, unique_fields=["user"], update_fields=fields
    )
