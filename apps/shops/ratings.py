"""A shop's score: what was imported and the stars of this site's notes, always counted anew."""

from apps.shops.models import Shop


def lock_shop(shop_id: int) -> Shop:
    """The shop's row, held until this transaction ends: one writer at a time counts its stars."""
    # Without the key: rows that refer to the shop are written meanwhile, and wait for nothing.
    return Shop.objects.select_for_update(no_key=True).get(pk=shop_id)


def compute_score(shop: Shop, *, notes: int, stars: int) -> tuple[int, int]:
    """(rating in tenths, reviews) of a shop whose `notes` have so many `stars` in sum."""
    reviews = shop.imported_reviews + notes
    return _mean_tenths(shop.imported_rating * shop.imported_reviews + 10 * stars, reviews), reviews


def update_rating(shop: Shop, *, notes: int, stars: int) -> None:
    """Write the score of a locked shop; index and caches follow."""
    score = compute_score(shop, notes=notes, stars=stars)
    if score != (shop.rating, shop.reviews):
        shop.rating, shop.reviews = score
        shop.save(update_fields=["rating", "reviews", "updated_at"])


def _mean_tenths(total: int, count: int) -> int:
    """The mean, halves rounded up; 0 of nothing."""
    return (2 * total + count) // (2 * count) if count else 0
