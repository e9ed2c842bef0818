"""Lists of people, as one viewer sees them: whom one may follow, and whom one follows already."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.follows import graph
from apps.follows.models import Follow
from apps.problems import Problem
from apps.redis_kit import paging

PAGE = 20


@dataclass(frozen=True)
class Row:
    """A person in a list; `via` is how many whom the viewer follows follow them, where that is known."""

    person: User
    followed: bool
    is_me: bool = False
    via: int = 0


@dataclass(frozen=True)
class Page:
    """Some rows, and the cursor of the next ones; None after the last."""

    items: list[Row]
    next: str | None


def followers(person_id: int, *, viewer_id: int | None, cursor: str = "") -> Page:
    """Who follows a person, the newest first: one query, one round trip. Problem 400 bad_cursor."""
    rows = Follow.objects.filter(followee=person_id, follower__is_active=True).select_related("follower")
    return _page(rows, "follower", viewer_id, cursor)


def following(person_id: int, *, viewer_id: int | None, cursor: str = "") -> Page:
    """Whom a person follows, the newest first: one query, one round trip. Problem 400 bad_cursor."""
    rows = Follow.objects.filter(follower=person_id, followee__is_active=True).select_related("followee")
    return _page(rows, "followee", viewer_id, cursor)


def common(person_id: int, *, viewer_id: int, cursor: str = "") -> Page:
    """Whom both follow, by id: one round trip, one query. Problem 400 bad_cursor."""
    kind = f"common:{person_id}"
    try:
        (after,) = paging.decode(cursor, [int], kind=kind) if cursor else (0,)
    except paging.BadCursor as error:
        raise _bad_cursor() from error
    ids = graph.common(viewer_id, person_id)
    left = ids[bisect_right(ids, int(after)) :]
    some = left[:PAGE]
    following = paging.encode(some[-1], kind=kind) if len(left) > PAGE else None
    return Page([Row(person, followed=True) for person in shown(some)], following)


def rows(people: Sequence[User], viewer_id: int | None) -> list[Row]:
    """These people with the viewer's flags: one round trip for all."""
    ids = {person.pk for person in people}
    followed = graph.follows_any(viewer_id, ids) if viewer_id else set()
    return [Row(person, person.pk in followed, is_me=person.pk == viewer_id) for person in people]


def shown(ids: Collection[int]) -> list[User]:
    """The people with these ids whose pages may be looked at, in this order."""
    found = User.objects.filter(is_active=True).in_bulk(ids)
    return [found[one] for one in ids if one in found]


def _page(rows_: "QuerySet[Follow]", end: str, viewer_id: int | None, cursor: str) -> Page:
    try:
        page = paging.slice_after(rows_, order=["-id"], types=[int], cursor=cursor, size=PAGE)
    except paging.BadCursor as error:
        raise _bad_cursor() from error
    return Page(rows([getattr(row, end) for row in page.items], viewer_id), page.next)


def _bad_cursor() -> Problem:
    return Problem(400, "bad_cursor", _("This list has changed. Start again from its first page."))
