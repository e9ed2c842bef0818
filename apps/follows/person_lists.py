"""Lists of people for one viewer: followers, following and common follows, each with the viewer's own
state.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from apps.accounts import access
from apps.accounts.models import User, is_listed
from apps.accounts.relations import blocks
from apps.follows import graph, limits
from apps.follows.models import Follow, Standing
from apps.web import paging

#: Avatars beside "you both follow" on a person's page.
MAX_FACES = 3
PAGE_SIZE = paging.PAGE_SIZE

MAX_SUGGESTIONS = 20
#: The viewer's newest follows to sample, and the most follows that a sampled person may have: somebody who
#: follows a thousand people is no recommendation. Together they bound the rows that one list counts.
MAX_SAMPLED_FOLLOWS, MAX_FOLLOWS_OF_SAMPLED = 100, 300


@dataclass(frozen=True)
class PersonRow:
    """A person in a list; `via` is the number of the viewer's follows who follow them (suggestions only)."""

    person: User
    followed: bool
    is_me: bool = False
    via: int = 0


@dataclass(frozen=True)
class PersonPage:
    """A page of rows, and the cursor of the next page; None after the last."""

    items: list[PersonRow]
    next: str | None


def list_followers(
    person_id: int, *, viewer_id: int | None, cursor: str = "", size: int = PAGE_SIZE
) -> PersonPage:
    """A page of a person's followers, the newest first. BadCursor.

    One query and one round trip, and a query for a viewer: people across a block are left out.
    """
    rows = Follow.objects.filter(is_listed("follower"), followee=person_id).select_related("follower")
    return _build_page(rows, "follower", viewer_id, cursor, size)


def list_following(
    person_id: int, *, viewer_id: int | None, cursor: str = "", size: int = PAGE_SIZE
) -> PersonPage:
    """A page of the people a person follows, the newest first, at the same cost. BadCursor."""
    rows = Follow.objects.filter(is_listed("followee"), follower=person_id).select_related("followee")
    return _build_page(rows, "followee", viewer_id, cursor, size)


def list_common(person_id: int, *, viewer_id: int, cursor: str = "", size: int = PAGE_SIZE) -> PersonPage:
    """A page of the people both follow, by id: one round trip, one query. BadCursor."""
    kind = f"common:{person_id}"
    (after,) = paging.decode(cursor, [int], kind=kind) if cursor else (0,)
    ids = graph.common_ids(viewer_id, person_id)
    remaining = ids[bisect_right(ids, int(after)) :]
    page_ids = remaining[:size]
    next_cursor = paging.encode(page_ids[-1], kind=kind) if len(remaining) > size else None
    return PersonPage([PersonRow(person, followed=True) for person in active_by_ids(page_ids)], next_cursor)


def list_common_faces(person: User, *, viewer_id: int) -> tuple[list[User], int]:
    """The first few people both follow, and the number of others; no faces on the person's own page."""
    ids = graph.common_ids(viewer_id, person.pk) if viewer_id != person.pk else []
    people = active_by_ids(ids[:MAX_FACES])
    return people, len(ids) - len(people)


def build_rows(people: Sequence[User], viewer_id: int | None) -> list[PersonRow]:
    """Rows for these people: one round trip for all of the viewer's follow states."""
    ids = {person.pk for person in people}
    followed = graph.followed_among(viewer_id, ids) if viewer_id else set()
    return [PersonRow(person, person.pk in followed, is_me=person.pk == viewer_id) for person in people]


def active_by_ids(ids: Collection[int]) -> list[User]:
    """The listed people with these ids, in this order."""
    people = User.objects.listed().in_bulk(ids)
    return [people[user_id] for user_id in ids if user_id in people]


def _build_page(
    follow_rows: "QuerySet[Follow]", person_column: str, viewer_id: int | None, cursor: str, size: int
) -> PersonPage:
    page = paging.fetch_page(follow_rows, order=["-id"], types=[int], cursor=cursor, size=size)
    people = [getattr(row, person_column) for row in page.items]
    apart = blocks.apart_among(viewer_id, [person.pk for person in people])
    people = [person for person in people if person.pk not in apart]
    return PersonPage(build_rows(people, viewer_id), page.next)


def for_viewer(viewer_id: int | None, max_count: int = MAX_SUGGESTIONS) -> list[PersonRow]:
    """Suggestions, the best first, without the viewer and the people they follow, blocked, or are blocked by.

    Costs three queries, and a fourth when mutual follows are too few.
    """
    apart = blocks.apart_from(viewer_id) if viewer_id else frozenset()
    via = _count_mutual_follows(viewer_id, max_count, apart) if viewer_id else {}
    ids = [*via]
    if len(ids) < max_count:
        ids += _most_followed_ids(viewer_id, without=[*ids, *apart], max_count=max_count - len(ids))
    return [PersonRow(person, followed=False, via=via.get(person.pk, 0)) for person in active_by_ids(ids)]


def _count_mutual_follows(viewer_id: int, max_count: int, apart: Collection[int]) -> dict[int, int]:
    """{person id: number of the viewer's follows who follow them}, the highest first."""
    newest_follows = (
        Follow.objects.filter(follower=viewer_id).order_by("-id").values("followee")[:MAX_SAMPLED_FOLLOWS]
    )
    sampled = Standing.objects.filter(pk__in=newest_follows, following__lte=MAX_FOLLOWS_OF_SAMPLED).values(
        "pk"
    )
    mutual = (
        Follow.objects.filter(is_listed("followee"), follower__in=sampled)
        .exclude(followee=viewer_id)
        .exclude(followee__in=apart)
        .exclude(followee__in=_followees_of(viewer_id))
        .values("followee")
        .annotate(via=Count("pk"))
        .order_by("-via", "followee")
    )
    return dict(mutual.values_list("followee", "via")[:max_count])


def _most_followed_ids(viewer_id: int | None, *, without: Collection[int], max_count: int) -> list[int]:
    people = Standing.objects.filter(is_listed("user"), followers__gt=0).exclude(pk__in=without)
    if viewer_id:
        people = people.exclude(pk=viewer_id).exclude(pk__in=_followees_of(viewer_id))
    return list(people.order_by("-followers", "pk").values_list("pk", flat=True)[:max_count])


def _followees_of(viewer_id: int) -> "QuerySet[Follow, Any]":
    return Follow.objects.filter(follower=viewer_id).values("followee")


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
