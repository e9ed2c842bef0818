"""Whom each person follows, as a SET in Redis that is read through from SQL.

A reader takes a lease, reads the rows, and fills the set if the lease is still its own. A follow or an
unfollow writes nothing here: after its commit it deletes set and lease. Deletions may arrive in any order,
and rows that were read before the commit are refused, so that no edge is lost or comes back. The member 0
is in every filled set: an empty answer without it means "not here", never "nobody".
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

#: Stands in a set that is whole; rows count from 1.
COMPLETE_MARK = 0
SET_TTL = timedelta(days=7)
LEASE_TTL = timedelta(seconds=10)
#: People whose sets a rebuild fills at a time.
BATCH_PEOPLE = 100

FILL_FOLLOWING = scripts.Script("fill_following", package="apps.follows", reply=bool)
log = logging.getLogger(__name__)


def followed_ids(user_id: int) -> Ids:
    """Whom a person follows; from SQL while Redis is away."""
    try:
        held = _query_and_touch([user_id], lambda pipe: pipe.smembers(_set_key(user_id)))
    except client.UNAVAILABLE:
        return ids_from_sql([user_id])[user_id]
    found = _parse_ids(held)
    return found - {COMPLETE_MARK} if COMPLETE_MARK in found else load_from_sql([user_id])[user_id]


def followed_among(user_id: int, ids: Collection[int]) -> Ids:
    """Those of `ids` that a person follows: one round trip, however many."""
    asked = list(ids)
    try:
        answers = _query_and_touch(
            [user_id], lambda pipe: pipe.smismember(_set_key(user_id), [COMPLETE_MARK, *asked])
        )
    except client.UNAVAILABLE:
        rows = Follow.objects.filter(follower=user_id, followee__in=asked)
        return set(rows.values_list("followee_id", flat=True))
    whole, *follows = cast("list[int]", answers)
    if not whole:
        return load_from_sql([user_id])[user_id].intersection(asked)
    return {one for one, followed in zip(asked, follows, strict=True) if followed}


def common_ids(user_id: int, other_id: int) -> Ids:
    """Whom both follow (SINTER)."""
    pair = [user_id, other_id]
    try:
        found = _parse_ids(_query_and_touch(pair, lambda pipe: pipe.sinter(list(map(_set_key, pair)))))
    except client.UNAVAILABLE:
        theirs = Follow.objects.filter(follower=other_id).values("followee")
        rows = Follow.objects.filter(follower=user_id, followee__in=theirs)
        return set(rows.values_list("followee_id", flat=True))
    # Each whole set holds 0, so the common ones hold it when both are whole.
    return (
        found - {COMPLETE_MARK} if COMPLETE_MARK in found else set.intersection(*load_from_sql(pair).values())
    )


def forget(user_id: int) -> None:
    """What this person follows has changed: the set is read again, and readers under way may not fill it."""
    try:
        client.get().delete(_set_key(user_id), keys.FOLLOWING_LEASE(user=user_id))
    except client.UNAVAILABLE:
        log.warning("Redis is away: whom %d follows may be out of date until reconciled", user_id)


def load_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """Whom these people follow, from SQL, and kept for later: two round trips and a query for all."""
    token = ""
    with suppress(*client.UNAVAILABLE):
        token = _take_leases(user_ids)
    found = ids_from_sql(user_ids)
    if token:
        with suppress(*client.UNAVAILABLE):
            _fill_sets(found, token)
    return found


def rebuild(report: Callable[[int, int], None]) -> int:
    """Fill the set of everybody who follows somebody; how many are kept."""
    followers = Standing.objects.filter(following__gt=0)
    done, kept, total = 0, 0, followers.count()
    for some in batches.iter_pk_chunks(followers, BATCH_PEOPLE):
        token = _take_leases(some)
        kept += _fill_sets(ids_from_sql(some), token)
        done += len(some)
        report(done, max(done, total))
    return kept


def read_all(user_ids: Iterable[int]) -> dict[int, Ids]:
    """The sets that are there, of these people, without the 0."""
    asked = list(user_ids)
    with client.get().pipeline(transaction=False) as pipe:
        for user_id in asked:
            pipe.smembers(_set_key(user_id))
        found = [_parse_ids(members) for members in pipe.execute()]
    return {one: ids - {COMPLETE_MARK} for one, ids in zip(asked, found, strict=True) if COMPLETE_MARK in ids}


def iter_user_id_batches(size: int) -> Iterator[list[int]]:
    """Of whom there are sets at all, in lists of about `size`."""
    names = client.get().scan_iter(match=keys.FOLLOWING.scan_pattern, count=size)
    some: list[int] = []
    for name in names:
        some.append(int(str(name).rpartition(":")[2]))
        if len(some) == size:
            yield some
            some = []
    yield some


def _query_and_touch(user_ids: Collection[int], ask: Callable[[Any], object]) -> object:
    """One question to these people's sets, which live on: one round trip."""
    with client.get().pipeline(transaction=False) as pipe:
        ask(pipe)
        for user_id in user_ids:
            pipe.expire(_set_key(user_id), SET_TTL)
        return pipe.execute()[0]


def _take_leases(user_ids: Collection[int]) -> str:
    """The token under which these sets may be filled, until somebody changes or reads them anew."""
    token = secrets.token_hex(8)
    with client.get().pipeline(transaction=False) as pipe:
        for user_id in user_ids:
            pipe.set(keys.FOLLOWING_LEASE(user=user_id), token, ex=LEASE_TTL)
        pipe.execute()
    return token


def _fill_sets(found: Mapping[int, Ids], token: str) -> int:
    """How many of these sets were kept."""
    kept, _rest = FILL_FOLLOWING.call_many(
        client.get(), [_fill_call(user_id, ids, token) for user_id, ids in found.items()]
    )
    return sum(kept)


def ids_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """Whom these people follow, as SQL has it."""
    found: dict[int, Ids] = defaultdict(set, {user_id: set() for user_id in user_ids})
    edges = Follow.objects.filter(follower__in=user_ids).values_list("follower_id", "followee_id")
    for follower_id, followee_id in edges:
        found[follower_id].add(followee_id)
    return found


def _fill_call(user_id: int, ids: Ids, token: str) -> scripts.Call:
    seconds = int(SET_TTL.total_seconds())
    return [_set_key(user_id), keys.FOLLOWING_LEASE(user=user_id)], [token, seconds, COMPLETE_MARK, *ids]


def _set_key(user_id: int) -> str:
    return keys.FOLLOWING(user=user_id)


def _parse_ids(members: object) -> Ids:
    return {int(member) for member in cast("set[str]", members)}
