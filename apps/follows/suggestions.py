"""People worth following: whom those follow whom I follow, then whom most people follow."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, QuerySet

from apps.follows.models import Follow, Standing
from apps.follows.person_lists import PersonRow, active_by_ids

MAX_SUGGESTIONS = 20
#: My newest follows that are asked, and how many each of them may follow: who follows a thousand people
#: recommends nobody. Together they bound the rows that one list counts.
MAX_SAMPLED_FOLLOWS, MAX_FOLLOWS_OF_SAMPLED = 100, 300


def for_viewer(viewer_id: int | None, most: int = MAX_SUGGESTIONS) -> list[PersonRow]:
    """The best first, without the viewer and whom they follow: two queries, a third when few are found."""
    via = _count_mutual_follows(viewer_id, most) if viewer_id else {}
    ids = [*via]
    if len(ids) < most:
        ids += _most_followed_ids(viewer_id, without=ids, most=most - len(ids))
    return [PersonRow(person, followed=False, via=via.get(person.pk, 0)) for person in active_by_ids(ids)]


def _count_mutual_follows(viewer_id: int, most: int) -> dict[int, int]:
    """Person's id -> how many whom the viewer follows follow them, the most first."""
    circle = (
        Follow.objects.filter(follower=viewer_id).order_by("-id").values("followee")[:MAX_SAMPLED_FOLLOWS]
    )
    with_taste = Standing.objects.filter(pk__in=circle, following__lte=MAX_FOLLOWS_OF_SAMPLED).values("pk")
    found = (
        Follow.objects.filter(follower__in=with_taste, followee__is_active=True)
        .exclude(followee=viewer_id)
        .exclude(followee__in=_followees_of(viewer_id))
        .values("followee")
        .annotate(via=Count("pk"))
        .order_by("-via", "followee")
    )
    return dict(found.values_list("followee", "via")[:most])


def _most_followed_ids(viewer_id: int | None, *, without: Collection[int], most: int) -> list[int]:
    found = Standing.objects.filter(followers__gt=0, user__is_active=True).exclude(pk__in=without)
    if viewer_id:
        found = found.exclude(pk=viewer_id).exclude(pk__in=_followees_of(viewer_id))
    return list(found.order_by("-followers", "pk").values_list("pk", flat=True)[:most])


def _followees_of(viewer_id: int) -> "QuerySet[Follow, Any]":
    return Follow.objects.filter(follower=viewer_id).values("followee")
