"""The people that each person follows, as a set in Redis that is filled from SQL when it is read.

The sets are complete or absent, and never older than the last follow: redis_kit.copies.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import timedelta

from apps.follows import keys
from apps.follows.models import Follow, Standing
from apps.redis_kit import copies
from apps.redis_kit.copies import Ids
from apps.web import batches

#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100


def ids_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: followed ids} from SQL; an empty set for people without follows."""
    followed: dict[int, Ids] = defaultdict(set, {user_id: set() for user_id in user_ids})
    edges = Follow.objects.filter(follower__in=user_ids).values_list("follower_id", "followee_id")
    for follower_id, followee_id in edges:
        followed[follower_id].add(followee_id)
    return followed


SETS = copies.LeasedSet(
    keys.FOLLOWING,
    keys.FOLLOWING_LEASE,
    query=ids_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "set"),
    is_renewed=True,
    owners=lambda: batches.counted_chunks(Standing.objects.filter(following__gt=0), BATCH_PEOPLE),
)
