"""Follow and unfollow as the button of pages and API does them: with rate limit and the new count."""

from dataclasses import dataclass

from apps.accounts import access
from apps.follows import graph, limits


@dataclass(frozen=True)
class FollowState:
    """Whether the user follows the person now, and the person's number of followers."""

    following: bool
    followers: int


def follow(user_id: int, person_id: int) -> FollowState:
    """Follow a person.

    Repeating it changes nothing. Problem 404, 422 own_account or too_many_follows, 429.
    """
    limits.charge_follow(user_id)
    graph.follow(user_id, person_id)
    return FollowState(following=True, followers=graph.count_followers(person_id))


def unfollow(user_id: int, person_id: int) -> FollowState:
    """Unfollow a person, also a deactivated one.

    Repeating it changes nothing. Problem 404 without such a person.
    """
    if not graph.unfollow(user_id, person_id):
        access.person(person_id)
    return FollowState(following=False, followers=graph.count_followers(person_id))
