"""The people that each person follows, as a set in Redis that is filled from SQL when it is read.

The sets are complete or absent, and never older than the last follow: redis_kit.leased_sets.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any, cast

from apps.follows import keys
from apps.follows.models import Follow, Standing
from apps.redis_kit import client
from apps.redis_kit.leased_sets import COMPLETE_MARK, Ids, LeasedSets
from apps.web import batches

SET_TTL = timedelta(days=7)
#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100

log = logging.getLogger(__name__)


def ids_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: followed ids} from SQL; an empty set for people without follows."""
    followed: dict[int, Ids] = defaultdict(set, {user_id: set() for user_id in user_ids})
    edges = Follow.objects.filter(follower__in=user_ids).values_list("follower_id", "followee_id")
    for follower_id, followee_id in edges:
        followed[follower_id].add(followee_id)
    return followed


SETS = LeasedSets(keys.FOLLOWING, keys.FOLLOWING_LEASE, load=ids_from_sql, ttl=SET_TTL)


def followed_ids(user_id: int) -> Ids:
    """Ids of the people a person follows; without Redis from SQL."""
    try:
        members = _query_and_touch([user_id], lambda pipe: pipe.smembers(SETS.key(user_id)))
    except client.UNAVAILABLE:
        return ids_from_sql([user_id])[user_id]
    ids = _parse_ids(members)
    return ids - {COMPLETE_MARK} if COMPLETE_MARK in ids else SETS.load([user_id])[user_id]


def followed_among(user_id: int, ids: Collection[int]) -> Ids:
    """The subset of `ids` that a person follows, in one round trip."""
    candidates = list(ids)
    try:
        replies = _query_and_touch(
            [user_id], lambda pipe: pipe.smismember(SETS.key(user_id), [COMPLETE_MARK, *candidates])
        )
    except client.UNAVAILABLE:
        rows = Follow.objects.filter(follower=user_id, followee__in=candidates)
        return set(rows.values_list("followee_id", flat=True))
    complete, *follows = cast("list[int]", replies)
    if not complete:
        return SETS.load([user_id])[user_id].intersection(candidates)
    return {candidate for candidate, followed in zip(candidates, follows, strict=True) if followed}


def common_ids(user_id: int, other_id: int) -> Ids:
    """Ids of the people both follow (SINTER)."""
    pair = [user_id, other_id]
    try:
        # As a bare command: a Cluster's pipeline refuses the method also for keys of one slot.
        both = list(map(SETS.key, pair))
        ids = _parse_ids(_query_and_touch(pair, lambda pipe: pipe.execute_command("SINTER", *both)))
    except client.UNAVAILABLE:
        theirs = Follow.objects.filter(follower=other_id).values("followee")
        rows = Follow.objects.filter(follower=user_id, followee__in=theirs)
        return set(rows.values_list("followee_id", flat=True))
    # Each complete set contains 0, so the intersection contains it if both are complete.
    if COMPLETE_MARK in ids:
        return ids - {COMPLETE_MARK}
    return set.intersection(*SETS.load(pair).values())


def forget(user_id: int) -> None:
    """Drop a person's set and lease after a change; readers that already read SQL may no longer fill it."""
    try:
        SETS.forget(user_id)
    except client.UNAVAILABLE:
        log.warning(
            "Redis is unavailable: the following set of person %d may be outdated until reconciled", user_id
        )


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the sets of all people with follows; returns the number of sets that were filled."""
    followers = Standing.objects.filter(following__gt=0)
    done, filled, total = 0, 0, followers.count()
    for user_ids in batches.iter_pk_chunks(followers, BATCH_PEOPLE):
        filled += SETS.rebuild(user_ids)
        done += len(user_ids)
        report(done, max(done, total))
    return filled


def _query_and_touch(user_ids: Collection[int], add_command: Callable[[Any], object]) -> object:
    """The reply to one command, in a round trip that also renews the expiry of these people's sets."""
    with client.get().pipeline(transaction=False) as pipe:
        add_command(pipe)
        for user_id in user_ids:
            pipe.expire(SETS.key(user_id), SET_TTL)
        return pipe.execute()[0]


def _parse_ids(members: object) -> Ids:
    return {int(member) for member in cast("set[str]", members)}
