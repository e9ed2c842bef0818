"""A shop's score: the mean of its imported reviews and of this site's notes, recomputed at each change."""

from apps.shops import changes
from apps.shops.models import Shop


def lock_shop(shop_id: int) -> Shop:
    """The shop's row, locked until this transaction ends: one writer at a time counts its stars."""
    # Without the key: rows that refer to the shop are written meanwhile, and wait for nothing.
    return Shop.objects.select_for_update(no_key=True).get(pk=shop_id)


def compute_score(shop: Shop, *, notes: int, stars: int) -> tuple[int, int]:
    """(rating in tenths, number of reviews) of a shop whose `notes` together have `stars` stars."""
    reviews = shop.imported_reviews + notes
    return _mean_tenths(shop.imported_rating * shop.imported_reviews + 10 * stars, reviews), reviews


def update_rating(shop: Shop, *, notes: int, stars: int) -> None:
    """Save the score of a locked shop when it changed."""
    score = compute_score(shop, notes=notes, stars=stars)
    if score != (shop.rating, shop.reviews):
        shop.rating, shop.reviews = score
        changes.save(shop, update_fields=["rating", "reviews"])


def _mean_tenths(total: int, count: int) -> int:
    """The mean, halves rounded up; 0 of nothing."""
    return (2 * total + count) // (2 * count) if count else 0
