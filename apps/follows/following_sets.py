"""The people that each person follows, as a set in Redis that is filled from SQL when it is read.

A reader takes a lease, reads the rows, and fills the set if the lease is still its own. A follow or an
unfollow writes no member: after its commit it deletes the set and the lease. Deletions may arrive in any
order, and rows that were read before the commit are refused, so a follow is neither lost nor restored by
mistake. Each filled set contains the member 0, so an empty set ("follows no one") differs from a missing
one ("not cached").
"""

import logging
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, cast

from apps.follows import keys
from apps.follows.models import Follow, Standing
from apps.redis_kit import client, scripts
from apps.web import batches

Ids = set[int]

#: The member that marks a set as complete; ids start at 1.
COMPLETE_MARK = 0
SET_TTL = timedelta(days=7)
LEASE_TTL = timedelta(seconds=10)
#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100

FILL_FOLLOWING = scripts.Script("fill_following", package="apps.follows", reply=bool)
log = logging.getLogger(__name__)


def followed_ids(user_id: int) -> Ids:
    """Ids of the people a person follows; without Redis from SQL."""
    try:
        members = _query_and_touch([user_id], lambda pipe: pipe.smembers(_set_key(user_id)))
    except client.UNAVAILABLE:
        return ids_from_sql([user_id])[user_id]
    ids = _parse_ids(members)
    return ids - {COMPLETE_MARK} if COMPLETE_MARK in ids else load_from_sql([user_id])[user_id]


def followed_among(user_id: int, ids: Collection[int]) -> Ids:
    """The subset of `ids` that a person follows, in one round trip."""
    candidates = list(ids)
    try:
        replies = _query_and_touch(
            [user_id], lambda pipe: pipe.smismember(_set_key(user_id), [COMPLETE_MARK, *candidates])
        )
    except client.UNAVAILABLE:
        rows = Follow.objects.filter(follower=user_id, followee__in=candidates)
        return set(rows.values_list("followee_id", flat=True))
    complete, *follows = cast("list[int]", replies)
    if not complete:
        return load_from_sql([user_id])[user_id].intersection(candidates)
    return {candidate for candidate, followed in zip(candidates, follows, strict=True) if followed}


def common_ids(user_id: int, other_id: int) -> Ids:
    """Ids of the people both follow (SINTER)."""
    pair = [user_id, other_id]
    try:
        ids = _parse_ids(_query_and_touch(pair, lambda pipe: pipe.sinter(list(map(_set_key, pair)))))
    except client.UNAVAILABLE:
        theirs = Follow.objects.filter(follower=other_id).values("followee")
        rows = Follow.objects.filter(follower=user_id, followee__in=theirs)
        return set(rows.values_list("followee_id", flat=True))
    # Each complete set contains 0, so the intersection contains it if both are complete.
    if COMPLETE_MARK in ids:
        return ids - {COMPLETE_MARK}
    return set.intersection(*load_from_sql(pair).values())


def forget(user_id: int) -> None:
    """Drop a person's set and lease after a change; readers that already read SQL may no longer fill it."""
    try:
        client.get().delete(_set_key(user_id), keys.FOLLOWING_LEASE(user=user_id))
    except client.UNAVAILABLE:
        log.warning(
            "Redis is unavailable: the following set of person %d may be outdated until reconciled", user_id
        )


def load_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: followed ids} from SQL, which are then cached: two round trips and one query for all."""
    token = ""
    with suppress(*client.UNAVAILABLE):
        token = _take_leases(user_ids)
    followed = ids_from_sql(user_ids)
    if token:
        with suppress(*client.UNAVAILABLE):
            _fill_sets(followed, token)
    return followed


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the sets of all people with follows; returns the number of sets that were filled."""
    followers = Standing.objects.filter(following__gt=0)
    done, filled, total = 0, 0, followers.count()
    for user_ids in batches.iter_pk_chunks(followers, BATCH_PEOPLE):
        token = _take_leases(user_ids)
        filled += _fill_sets(ids_from_sql(user_ids), token)
        done += len(user_ids)
        report(done, max(done, total))
    return filled


def read_all(user_ids: Iterable[int]) -> dict[int, Ids]:
    """{user id: followed ids} of those of these people whose set is cached and complete."""
    people = list(user_ids)
    with client.get().pipeline(transaction=False) as pipe:
        for user_id in people:
            pipe.smembers(_set_key(user_id))
        sets = [_parse_ids(members) for members in pipe.execute()]
    pairs = zip(people, sets, strict=True)
    return {user_id: ids - {COMPLETE_MARK} for user_id, ids in pairs if COMPLETE_MARK in ids}


def iter_user_id_batches(size: int) -> Iterator[list[int]]:
    """Ids of the people who have a cached set, in lists of at most `size`; the last one may be empty."""
    names = client.get().scan_iter(match=keys.FOLLOWING.scan_pattern, count=size)
    batch: list[int] = []
    for name in names:
        batch.append(int(str(name).rpartition(":")[2]))
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


def _query_and_touch(user_ids: Collection[int], add_command: Callable[[Any], object]) -> object:
    """The reply to one command, in a round trip that also renews the expiry of these people's sets."""
    with client.get().pipeline(transaction=False) as pipe:
        add_command(pipe)
        for user_id in user_ids:
            pipe.expire(_set_key(user_id), SET_TTL)
        return pipe.execute()[0]


def _take_leases(user_ids: Collection[int]) -> str:
    """A new token with which these sets may be filled; a later reader or a change invalidates it."""
    token = secrets.token_hex(8)
    with client.get().pipeline(transaction=False) as pipe:
        for user_id in user_ids:
            pipe.set(keys.FOLLOWING_LEASE(user=user_id), token, ex=LEASE_TTL)
        pipe.execute()
    return token


def _fill_sets(followed: Mapping[int, Ids], token: str) -> int:
    """Fill the sets whose lease still has this token; returns their number."""
    calls = [_fill_call(user_id, ids, token) for user_id, ids in followed.items()]
    filled, _rest = FILL_FOLLOWING.call_many(client.get(), calls)
    return sum(filled)


def ids_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: followed ids} from SQL; an empty set for people without follows."""
    followed: dict[int, Ids] = defaultdict(set, {user_id: set() for user_id in user_ids})
    edges = Follow.objects.filter(follower__in=user_ids).values_list("follower_id", "followee_id")
    for follower_id, followee_id in edges:
        followed[follower_id].add(followee_id)
    return followed


def _fill_call(user_id: int, ids: Ids, token: str) -> scripts.Call:
    seconds = int(SET_TTL.total_seconds())
    return [_set_key(user_id), keys.FOLLOWING_LEASE(user=user_id)], [token, seconds, COMPLETE_MARK, *ids]


def _set_key(user_id: int) -> str:
    return keys.FOLLOWING(user=user_id)


def _parse_ids(members: object) -> Ids:
    return {int(member) for member in cast("set[str]", members)}
