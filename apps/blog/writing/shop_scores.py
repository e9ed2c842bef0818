from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.db import transaction
from django.db.models import Count, F, Q, Sum

from apps.blog.models import Note
from apps.shops import ratings
from apps.shops.models import Shop
from apps.web import batches

#: Shops compared at a time.
BATCH_SHOPS = 500


class RatingSums(TypedDict):
    """Published notes of a shop that have stars, and their sum."""

    notes: int
    stars: int


@dataclass(frozen=True)
class Drift:
    """A shop's "rating in tenths / reviews": what it says, and what follows from its notes."""

    shop_id: int
    held: str
    rows: str


def recount_rating(shop_id: int) -> None:
    """Count a shop's score anew from its published notes, in the transaction that changed one of them."""
    shop = ratings.lock_shop(shop_id)
    ratings.update_rating(shop, **_rating_sums([shop_id])[shop_id])


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Every shop whose score does not follow from its notes, looked at twice; with `fix` it is right then."""
    noted = Q(pk__in=Note.objects.published().values("shop"))
    moved = ~Q(rating=F("imported_rating"), reviews=F("imported_reviews"))
    for some in batches.iter_pk_chunks(Shop.objects.filter(noted | moved), BATCH_SHOPS):
        rated = _rating_sums(some)
        for shop in Shop.objects.filter(pk__in=some):
            if ratings.compute_score(shop, **rated[shop.pk]) != (shop.rating, shop.reviews):
                yield from _recheck_rating(shop.pk, fix=fix)


@transaction.atomic
def _recheck_rating(shop_id: int, *, fix: bool) -> list[Drift]:
    """Once more, while no note can change it."""
    shop = ratings.lock_shop(shop_id)
    rated = _rating_sums([shop_id])[shop_id]
    held, rows = (shop.rating, shop.reviews), ratings.compute_score(shop, **rated)
    if held == rows:
        return []
    if fix:
        ratings.update_rating(shop, **rated)
    return [Drift(shop_id, "{} / {}".format(*held), "{} / {}".format(*rows))]


def _rating_sums(shop_ids: Sequence[int]) -> dict[int, RatingSums]:
    notes = Note.objects.published().filter(shop__in=shop_ids, rating__isnull=False)
    found = notes.order_by().values("shop").annotate(notes=Count("pk"), stars=Sum("rating"))
    counted = {row["shop"]: RatingSums(notes=row["notes"], stars=row["stars"]) for row in found}
    return {shop_id: counted.get(shop_id, RatingSums(notes=0, stars=0)) for shop_id in shop_ids}
