"""People worth following: whom those follow whom I follow, then whom most people follow."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, QuerySet

from apps.follows.models import Follow, Standing
from apps.follows.people import Row, shown

MOST = 20
#: My newest follows that are asked, and how many each of them may follow: who follows a thousand people
#: recommends nobody. Together they bound the rows that one list counts.
CIRCLE, TASTE = 100, 300


def of(viewer_id: int | None, most: int = MOST) -> list[Row]:
    """The best first, without the viewer and whom they follow: two queries, a third when few are found."""
    via = _followed_by_mine(viewer_id, most) if viewer_id else {}
    ids = [*via]
    if len(ids) < most:
        ids += _popular(viewer_id, without=ids, most=most - len(ids))
    return [Row(person, followed=False, via=via.get(person.pk, 0)) for person in shown(ids)]


def _followed_by_mine(viewer_id: int, most: int) -> dict[int, int]:
    """Person's id -> how many whom the viewer follows follow them, the most first."""
    circle = Follow.objects.filter(follower=viewer_id).order_by("-id").values("followee")[:CIRCLE]
    with_taste = Standing.objects.filter(pk__in=circle, following__lte=TASTE).values("pk")
    found = (
        Follow.objects.filter(follower__in=with_taste, followee__is_active=True)
        .exclude(followee=viewer_id)
        .exclude(followee__in=_mine(viewer_id))
        .values("followee")
        .annotate(via=Count("pk"))
        .order_by("-via", "followee")
    )
    return dict(found.values_list("followee", "via")[:most])


def _popular(viewer_id: int | None, *, without: Collection[int], most: int) -> list[int]:
    found = Standing.objects.filter(followers__gt=0, user__is_active=True).exclude(pk__in=without)
    if viewer_id:
        found = found.exclude(pk=viewer_id).exclude(pk__in=_mine(viewer_id))
    return list(found.order_by("-followers", "pk").values_list("pk", flat=True)[:most])


def _mine(viewer_id: int) -> "QuerySet[Follow, Any]":
    return Follow.objects.filter(follower=viewer_id).values("followee")
