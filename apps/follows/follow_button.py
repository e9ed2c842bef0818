"""The follow button: what pages and API press."""

from dataclasses import dataclass

from apps.accounts import access
from apps.follows import graph, limits


@dataclass(frozen=True)
class FollowState:
    """Whether one follows the person now, and how many do."""

    following: bool
    followers: int


def follow(user_id: int, person_id: int) -> FollowState:
    """Follow; again is fine. 404, 422 own_account or too_many_follows, 429 too_many_requests."""
    limits.charge_follow(user_id)
    graph.follow(user_id, person_id)
    return FollowState(following=True, followers=graph.count_followers(person_id))


def unfollow(user_id: int, person_id: int) -> FollowState:
    """Follow no longer; again is fine, also somebody who was switched off. 404 for nobody."""
    if not graph.unfollow(user_id, person_id):
        access.person(person_id)
    return FollowState(following=False, followers=graph.count_followers(person_id))
