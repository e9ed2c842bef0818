"""Lists of people for one viewer: followers, following and common follows, each with the viewer's own
state.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from apps.accounts.models import User, is_listed
from apps.accounts.relations import blocks
from apps.follows import graph
from apps.follows.models import Follow
from apps.web import paging

#: Avatars beside "you both follow" on a person's page.
MAX_FACES = 3
PAGE_SIZE = paging.PAGE_SIZE


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

    One query and one round trip, and a query for a viewer, who sees nobody apart from them by a block.
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
    """The first few people both follow, and the number of others; nobody on one's own page."""
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
