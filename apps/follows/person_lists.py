"""Lists of people, as one viewer sees them: whom one may follow, and whom one follows already."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.follows import graph
from apps.follows.models import Follow
from apps.web import paging
from apps.web.problems import Problem

PAGE_SIZE = 20


@dataclass(frozen=True)
class PersonRow:
    """A person in a list; `via` is how many whom the viewer follows follow them, where that is known."""

    person: User
    followed: bool
    is_me: bool = False
    via: int = 0


@dataclass(frozen=True)
class PersonPage:
    """Some rows, and the cursor of the next ones; None after the last."""

    items: list[PersonRow]
    next: str | None


def list_followers(person_id: int, *, viewer_id: int | None, cursor: str = "") -> PersonPage:
    """Who follows a person, the newest first: one query, one round trip. Problem 400 bad_cursor."""
    rows = Follow.objects.filter(followee=person_id, follower__is_active=True).select_related("follower")
    return _build_page(rows, "follower", viewer_id, cursor)


def list_following(person_id: int, *, viewer_id: int | None, cursor: str = "") -> PersonPage:
    """Whom a person follows, the newest first: one query, one round trip. Problem 400 bad_cursor."""
    rows = Follow.objects.filter(follower=person_id, followee__is_active=True).select_related("followee")
    return _build_page(rows, "followee", viewer_id, cursor)


def list_common(person_id: int, *, viewer_id: int, cursor: str = "") -> PersonPage:
    """Whom both follow, by id: one round trip, one query. Problem 400 bad_cursor."""
    kind = f"common:{person_id}"
    try:
        (after,) = paging.decode(cursor, [int], kind=kind) if cursor else (0,)
    except paging.BadCursor as error:
        raise _bad_cursor() from error
    ids = graph.common_ids(viewer_id, person_id)
    left = ids[bisect_right(ids, int(after)) :]
    some = left[:PAGE_SIZE]
    following = paging.encode(some[-1], kind=kind) if len(left) > PAGE_SIZE else None
    return PersonPage([PersonRow(person, followed=True) for person in active_by_ids(some)], following)


def build_rows(people: Sequence[User], viewer_id: int | None) -> list[PersonRow]:
    """These people with the viewer's flags: one round trip for all."""
    ids = {person.pk for person in people}
    followed = graph.followed_among(viewer_id, ids) if viewer_id else set()
    return [PersonRow(person, person.pk in followed, is_me=person.pk == viewer_id) for person in people]


def active_by_ids(ids: Collection[int]) -> list[User]:
    """The people with these ids whose pages may be looked at, in this order."""
    found = User.objects.filter(is_active=True).in_bulk(ids)
    return [found[one] for one in ids if one in found]


def _build_page(rows_: "QuerySet[Follow]", end: str, viewer_id: int | None, cursor: str) -> PersonPage:
    try:
        page = paging.fetch_page(rows_, order=["-id"], types=[int], cursor=cursor, size=PAGE_SIZE)
    except paging.BadCursor as error:
        raise _bad_cursor() from error
    return PersonPage(build_rows([getattr(row, end) for row in page.items], viewer_id), page.next)


def _bad_cursor() -> Problem:
    return Problem(400, "bad_cursor", _("This list has changed. Start again from its first page."))
