from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.db import transaction
from django.db.models import Count, F, Q, Sum

from apps.blog.models import Note
from apps.follows import walking
from apps.shops import ratings
from apps.shops.models import Shop

#: Shops compared at a time.
BATCH = 500


class Rated(TypedDict):
    """Published notes of a shop that have stars, and their sum."""

    notes: int
    stars: int


@dataclass(frozen=True)
class Drift:
    """A shop's "rating in tenths / reviews": what it says, and what follows from its notes."""

    shop_id: int
    held: str
    rows: str


def follow(shop_id: int) -> None:
    """Count a shop's score anew from its published notes, in the transaction that changed one of them."""
    shop = ratings.lock(shop_id)
    ratings.follow(shop, **_rated([shop_id])[shop_id])


def drift(*, fix: bool = False) -> Iterator[Drift]:
    """Every shop whose score does not follow from its notes, looked at twice; with `fix` it is right then."""
    noted = Q(pk__in=Note.objects.published().values("shop"))
    moved = ~Q(rating=F("imported_rating"), reviews=F("imported_reviews"))
    for some in walking.pks(Shop.objects.filter(noted | moved), BATCH):
        rated = _rated(some)
        for shop in Shop.objects.filter(pk__in=some):
            if ratings.of(shop, **rated[shop.pk]) != (shop.rating, shop.reviews):
                yield from _recount(shop.pk, fix=fix)


@transaction.atomic
def _recount(shop_id: int, *, fix: bool) -> list[Drift]:
    """Once more, while no note can change it."""
    shop = ratings.lock(shop_id)
    rated = _rated([shop_id])[shop_id]
    held, rows = (shop.rating, shop.reviews), ratings.of(shop, **rated)
    if held == rows:
        return []
    if fix:
        ratings.follow(shop, **rated)
    return [Drift(shop_id, "{} / {}".format(*held), "{} / {}".format(*rows))]


def _rated(shop_ids: Sequence[int]) -> dict[int, Rated]:
    notes = Note.objects.published().filter(shop__in=shop_ids, rating__isnull=False)
    found = notes.order_by().values("shop").annotate(notes=Count("pk"), stars=Sum("rating"))
    counted = {row["shop"]: Rated(notes=row["notes"], stars=row["stars"]) for row in found}
    return {shop_id: counted.get(shop_id, Rated(notes=0, stars=0)) for shop_id in shop_ids}
