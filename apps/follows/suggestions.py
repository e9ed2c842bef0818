"""Suggestions of people to follow: those whom the viewer's follows follow, then the most followed people."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, QuerySet

from apps.accounts.models import is_listed
from apps.accounts.relations import blocks
from apps.follows.models import Follow, Standing
from apps.follows.person_lists import PersonRow, active_by_ids

MAX_SUGGESTIONS = 20
#: The viewer's newest follows to sample, and the most follows that a sampled person may have: somebody who
#: follows a thousand people is no recommendation. Together they bound the rows that one list counts.
MAX_SAMPLED_FOLLOWS, MAX_FOLLOWS_OF_SAMPLED = 100, 300


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
