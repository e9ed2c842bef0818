"""Follows: follow, unfollow, and questions about them.

SQL decides. The counts change in the same transaction; Redis and listeners are updated after the commit.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import access
from apps.accounts.relations import blocks
from apps.follows import keys
from apps.follows.models import Follow, Standing
from apps.mailbox import copies as mailbox
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.queues import owed
from apps.redis_kit import copies
from apps.redis_kit.copies import Ids
from apps.web import batches
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate
from apps.web.problems import Problem
from apps.web.registry import Registry

#: People that one person may follow: a bound on the cost of feeds and sets.
MAX_FOLLOWING = 5_000
#: Called with (follower id, followee id) after the commit of each new follow, and of each that ended.
FOLLOW_STARTED: Registry[Callable[[int, int], object]] = Registry("follow started")
FOLLOW_ENDED: Registry[Callable[[int, int], object]] = Registry("follow ended")

#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100


@CompiledQuery
def _query_follow(follower_id: int, followee_id: int) -> QuerySet[Follow, tuple[int]]:
    return Follow.objects.filter(follower=follower_id, followee=followee_id).values_list("pk")


@CompiledInsert
def _insert_follow(follower_id: int, followee_id: int, at: datetime) -> Follow:
    return Follow(follower_id=follower_id, followee_id=followee_id, created_at=at)


# Never below zero, even if a count has drifted: the reconciliation repairs it.
@CompiledUpdate
def _change_following(user_id: int, step: int) -> Change:
    return Standing.objects.filter(pk=user_id), {"following": Greatest(F("following") + step, 0)}


@CompiledUpdate
def _change_followers(user_id: int, step: int) -> Change:
    return Standing.objects.filter(pk=user_id), {"followers": Greatest(F("followers") + step, 0)}


def follow(follower_id: int, followee_id: int) -> bool:
    """Follow a person.

    Returns whether the follow is new. Problem 403 blocked, 404, 422 own_account or too_many_follows.
    """
    if follower_id == followee_id:
        raise Problem(422, "own_account", _("You can't follow yourself."))
    access.person(followee_id)
    if is_following(follower_id, followee_id):
        return _unchanged(follower_id)
    if blocks.are_apart(follower_id, followee_id):
        raise Problem(403, "blocked", _("You can't follow this person."))
    with transaction.atomic():
        counts = Standing.objects.lock([follower_id, followee_id])[follower_id]
        is_new = _insert_follow(follower_id, followee_id, timezone.now()) is not None
        if is_new:
            _refuse_above(MAX_FOLLOWING, counts)
            _change_counts(follower_id, followee_id, 1)
            told = notifications.notify(Notice(followee_id, Kind.FOLLOW, actor_id=follower_id), owes=False)
            owed.run_after_commit(after_follow, follower_id, followee_id, told)
    return is_new


def unfollow(follower_id: int, followee_id: int) -> bool:
    """Unfollow a person; returns whether there was a follow to end."""
    if not is_following(follower_id, followee_id):
        return _unchanged(follower_id)
    with transaction.atomic():
        Standing.objects.lock([follower_id, followee_id])
        ended, _by_model = Follow.objects.filter(follower=follower_id, followee=followee_id).delete()
        if ended:
            _change_counts(follower_id, followee_id, -1)
            told = notifications.take_back(Notice(followee_id, Kind.FOLLOW, actor_id=follower_id), owes=False)
            owed.run_after_commit(after_unfollow, follower_id, followee_id, told)
    return bool(ended)


def is_following(follower_id: int, followee_id: int) -> bool:
    """Whether the first follows the second, according to SQL."""
    return bool(_query_follow(follower_id, followee_id))


def followed_ids(user_id: int) -> set[int]:
    """Ids of the people a person follows, from Redis or, if missing there, from SQL."""
    return SETS.read(user_id)


def followed_among(user_id: int, ids: Collection[int]) -> set[int]:
    """The subset of `ids` that a person follows: one round trip for a whole page."""
    return SETS.subset(user_id, ids) if ids else set()


def common_ids(user_id: int, other_id: int) -> list[int]:
    """Ids of the people both follow, in order; at most MAX_FOLLOWING."""
    return sorted(SETS.intersection(user_id, other_id))


def count_followers(user_id: int) -> int:
    """The number of people who follow a person."""
    return Standing.objects.for_user(user_id).followers


def _refuse_above(limit: int, counts: Standing) -> None:
    if counts.following >= limit:
        message = _("You follow %(most)d people, and that is the most. Unfollow somebody first.")
        raise Problem(422, "too_many_follows", message % {"most": limit})


def _change_counts(follower_id: int, followee_id: int, step: int) -> None:
    _change_following(follower_id, step)
    _change_followers(followee_id, step)


def _unchanged(follower_id: int) -> bool:
    """False, after the cached set is dropped: an outdated copy may be why the person pressed the button
    again.
    """
    SETS.forget([follower_id])
    return False


def after_follow(follower_id: int, followee_id: int, told_ids: Sequence[int] = ()) -> None:
    """Drop the follower's set and the notified people's mailboxes in one round trip, then tell other apps."""
    _drop_copies(follower_id, told_ids)
    FOLLOW_STARTED.notify(follower_id, followee_id)


def after_unfollow(follower_id: int, followee_id: int, told_ids: Sequence[int] = ()) -> None:
    """Drop the same copies after the end of a follow, then tell other apps."""
    _drop_copies(follower_id, told_ids)
    FOLLOW_ENDED.notify(follower_id, followee_id)


def _drop_copies(follower_id: int, told_ids: Sequence[int]) -> None:
    mailbox.publish(told_ids, Kind.FOLLOW, also=[("DEL", *SETS.keys(follower_id))])


def end_follows_between(user_id: int, other_id: int) -> None:
    """End the follows between two people, in both directions."""
    unfollow(user_id, other_id)
    unfollow(other_id, user_id)


def followed_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: followed ids} from SQL; an empty set for people without follows."""
    followed: dict[int, Ids] = defaultdict(set, {user_id: set() for user_id in user_ids})
    edges = Follow.objects.filter(follower__in=user_ids).values_list("follower_id", "followee_id")
    for follower_id, followee_id in edges:
        followed[follower_id].add(followee_id)
    return followed


SETS = copies.LeasedSet(
    keys.FOLLOWING,
    keys.FOLLOWING_LEASE,
    query=followed_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "set"),
    is_renewed=True,
    owners=lambda: batches.counted_chunks(Standing.objects.filter(following__gt=0), BATCH_PEOPLE),
)
