"""Computes a shop's rating and number of reviews from its published notes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.db import transaction
from django.db.models import Count, F, Q, Sum

from apps.blog.models import Note
from apps.shops import ratings
from apps.shops.models import Shop
from apps.web import batches

#: Shops compared in one batch.
BATCH_SHOPS = 500


class RatingSums(TypedDict):
    """The number of a shop's published notes with stars, and the sum of their stars."""

    notes: int
    stars: int


@dataclass(frozen=True)
class Drift:
    """A shop's "rating in tenths / reviews": the actual value, and the one that its notes give."""

    shop_id: int
    actual: str
    expected: str


def recount_rating(shop_id: int) -> None:
    """Recompute a shop's score from its published notes, in the transaction that changed one of them."""
    shop = ratings.lock_shop(shop_id)
    ratings.update_rating(shop, **_rating_sums([shop_id])[shop_id])


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Yield shops whose score differs from their notes, each checked twice; `fix` repairs them."""
    noted = Q(pk__in=Note.objects.published().values("shop"))
    moved = ~Q(rating=F("imported_rating"), reviews=F("imported_reviews"))
    for shop_ids in batches.iter_pk_chunks(Shop.objects.filter(noted | moved), BATCH_SHOPS):
        sums = _rating_sums(shop_ids)
        for shop in Shop.objects.filter(pk__in=shop_ids):
            if ratings.compute_score(shop, **sums[shop.pk]) != (shop.rating, shop.reviews):
                yield from _recheck_rating(shop.pk, fix=fix)


@transaction.atomic
def _recheck_rating(shop_id: int, *, fix: bool) -> list[Drift]:
    """Compare one shop again while it is locked, so that no note can change it."""
    shop = ratings.lock_shop(shop_id)
    sums = _rating_sums([shop_id])[shop_id]
    actual, expected = (shop.rating, shop.reviews), ratings.compute_score(shop, **sums)
    if actual == expected:
        return []
    if fix:
        ratings.update_rating(shop, **sums)
    return [Drift(shop_id, "{} / {}".format(*actual), "{} / {}".format(*expected))]


def _rating_sums(shop_ids: Sequence[int]) -> dict[int, RatingSums]:
    notes = Note.objects.published().filter(shop__in=shop_ids, rating__isnull=False)
    rows = notes.order_by().values("shop").annotate(notes=Count("pk"), stars=Sum("rating"))
    sums = {row["shop"]: RatingSums(notes=row["notes"], stars=row["stars"]) for row in rows}
    return {shop_id: sums.get(shop_id, RatingSums(notes=0, stars=0)) for shop_id in shop_ids}
