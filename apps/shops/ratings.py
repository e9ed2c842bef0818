"""A shop's scores from this site's notes, recomputed at each change of one."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.shops import changes
from apps.shops.models import SCORES, Shop, ShopType

#: An imported rating weighs as much as so many notes, and never counts as a note.
PRIOR_NOTES = 5


class Sum(NamedTuple):
    """How many notes gave a score, and the total of what they gave."""

    notes: int
    total: int


class NoteSums(NamedTuple):
    """The stars and the other scores of a shop's published notes."""

    stars: Sum
    taste: Sum
    room: Sum
    service: Sum


class ShopScores(NamedTuple):
    """The columns of a shop that follow from its notes; means in tenths, 0 for none."""

    rating: int
    reviews: int
    taste: int
    room: int
    service: int


def lock_shop(shop_id: int) -> Shop:
    """The shop's row, locked until this transaction ends: one writer at a time counts its stars."""
    # Without the key: rows that refer to the shop are written meanwhile, and wait for nothing.
    return Shop.objects.select_for_update(no_key=True).get(pk=shop_id)


def compute_scores(shop: Shop, sums: NoteSums) -> ShopScores:
    """The scores of a shop whose notes have these sums; without stars the rating is the imported one."""
    prior = PRIOR_NOTES if shop.imported_rating else 0
    stars = 10 * sums.stars.total + prior * shop.imported_rating
    means = (_mean_tenths(10 * one.total, one.notes) for one in (sums.taste, sums.room, sums.service))
    return ShopScores(_mean_tenths(stars, sums.stars.notes + prior), sums.stars.notes, *means)


def read_scores(shop: Shop) -> ShopScores:
    """The scores that a shop's row has."""
    return ShopScores(*(getattr(shop, name) for name in ShopScores._fields))


def update_scores(shop: Shop, sums: NoteSums) -> None:
    """Save the scores of a locked shop when they changed."""
    scores = compute_scores(shop, sums)
    if scores != read_scores(shop):
        for name, value in scores._asdict().items():
            setattr(shop, name, value)
        changes.save(shop, update_fields=ShopScores._fields)


def score_labels(kind: ShopType) -> dict[str, str]:
    """The name of each of SCORES where shops of this type are judged."""
    first = _("Taste") if kind.has_dishes else _("Quality")
    return dict(zip(SCORES, (first, _("Room"), _("Service")), strict=True))


def _mean_tenths(total: int, count: int) -> int:
    """The mean, halves rounded up; 0 of nothing."""
    return (2 * total + count) // (2 * count) if count else 0
