"""Computes a shop's scores and number of reviews from its published notes."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, Sum

from apps.blog.models import Note
from apps.blog.writing import dishes
from apps.redis_kit.findings import Finding
from apps.shops import ratings
from apps.shops.models import SCORES, Shop
from apps.shops.ratings import NoteSums
from apps.web import batches

#: Shops compared in one batch.
BATCH_SHOPS = 500
#: The columns of notes in the order of NoteSums.
COLUMNS = ("rating", *SCORES)
#: What a finding compares.
ASPECT = "rating / reviews / taste / room / service"
NO_NOTES = NoteSums(*(ratings.Sum(0, 0) for _column in COLUMNS))


def recount(shop_id: int) -> None:
    """Recompute a shop's scores and dishes from its published notes, in the transaction that changed one."""
    shop = ratings.lock_shop(shop_id)
    ratings.update_scores(shop, load_sums([shop_id])[shop_id])
    dishes.recount(shop_id)


def load_sums(shop_ids: Sequence[int]) -> dict[int, NoteSums]:
    """What the published notes of each of the given shops gave; one query."""
    totals = {
        f"{column}_{word}": function(column)
        for column in COLUMNS
        for word, function in (("count", Count), ("total", Sum))
    }
    notes = Note.objects.published().filter(shop__in=shop_ids)
    rows: dict[int, Any] = {row["shop"]: row for row in notes.order_by().values("shop").annotate(**totals)}
    return {shop_id: _read_sums(rows[shop_id]) if shop_id in rows else NO_NOTES for shop_id in shop_ids}


def compare(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of shops past the id `after`, and the batch's differences."""
    for shop_ids in batches.iter_pk_chunks(Shop.objects.all(), BATCH_SHOPS, after=after):
        yield shop_ids[-1], _check_scores(shop_ids, fix=fix)


def _check_scores(shop_ids: Sequence[int], *, fix: bool) -> Iterator[Finding]:
    sums = load_sums(shop_ids)
    for shop in Shop.objects.filter(pk__in=shop_ids):
        if ratings.compute_scores(shop, sums[shop.pk]) != ratings.read_scores(shop):
            yield from _recheck_scores(shop.pk, fix=fix)


@transaction.atomic
def _recheck_scores(shop_id: int, *, fix: bool) -> list[Finding]:
    """Compare one shop again while it is locked, so that no note can change it."""
    shop = ratings.lock_shop(shop_id)
    sums = load_sums([shop_id])[shop_id]
    actual, expected = ratings.read_scores(shop), ratings.compute_scores(shop, sums)
    if actual == expected:
        return []
    if fix:
        ratings.update_scores(shop, sums)
    return [Finding(f"shop {shop_id}", ASPECT, " / ".join(map(str, actual)), " / ".join(map(str, expected)))]


def _read_sums(row: dict[str, int]) -> NoteSums:
    return NoteSums(*(ratings.Sum(row[f"{name}_count"], row[f"{name}_total"] or 0) for name in COLUMNS))
