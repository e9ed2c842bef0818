"""What follows a change of shops once it is committed: the GEO index and the cached pages."""

import logging
from collections.abc import Sequence
from functools import partial, update_wrapper

from django.db import transaction

from apps.redis_kit import client
from apps.shops import shop_cache
from apps.shops.geo import geo_index

log = logging.getLogger(__name__)
#: Shops that one round trip carries.
BATCH_SIZE = 500


def schedule_reindex(shop_ids: Sequence[int], *, using: str | None = None) -> None:
    """Once this transaction commits, let Redis say what SQL then says of these shops."""
    if shop_ids:
        named = update_wrapper(partial(reindex, list(shop_ids)), reindex)
        transaction.on_commit(named, using=using, robust=True)


def schedule_cache_clear(*, using: str | None = None) -> None:
    """Once this transaction commits, drop the cached pages, which show their type's name."""
    transaction.on_commit(shop_cache.invalidate_all, using=using, robust=True)


def reindex(shop_ids: Sequence[int]) -> None:
    """Write these shops to the index as SQL has them; tasks.heal mends what a lost Redis misses."""
    for start in range(0, len(shop_ids), BATCH_SIZE):
        some = shop_ids[start : start + BATCH_SIZE]
        for shop_id in some:
            shop_cache.invalidate(shop_id)
        try:
            geo_index.sync(some)
        except client.UNAVAILABLE:
            log.warning("Redis is away: %d shops wait for the scheduled repair of the index", len(some))
