"""What follows a change of shops once it is committed: the GEO index and the cached pages."""

import logging
from collections.abc import Sequence
from functools import partial, update_wrapper

from django.db import transaction

from apps.redis_kit import client
from apps.shops import detail, geo

log = logging.getLogger(__name__)
#: Shops that one round trip carries.
BATCH = 500


def follow(shop_ids: Sequence[int], *, using: str | None = None) -> None:
    """Once this transaction commits, let Redis say what SQL then says of these shops."""
    if shop_ids:
        named = update_wrapper(partial(apply, list(shop_ids)), apply)
        transaction.on_commit(named, using=using, robust=True)


def follow_types(*, using: str | None = None) -> None:
    """Once this transaction commits, drop the cached pages, which show their type's name."""
    transaction.on_commit(detail.forget_all, using=using, robust=True)


def apply(shop_ids: Sequence[int]) -> None:
    """Write these shops to the index as SQL has them; tasks.heal mends what a lost Redis misses."""
    for start in range(0, len(shop_ids), BATCH):
        some = shop_ids[start : start + BATCH]
        for shop_id in some:
            detail.forget(shop_id)
        try:
            geo.sync(some)
        except client.UNAVAILABLE:
            log.warning("Redis is away: %d shops wait for the scheduled repair of the index", len(some))
