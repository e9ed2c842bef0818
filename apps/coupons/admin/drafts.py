"""Draft numbers of the new-sale form, so that submitting it twice creates one sale."""

import time
from datetime import timedelta
from uuid import UUID

from apps.coupons import keys
from apps.redis_kit import client

#: Long enough that resubmitting a tab left open overnight creates no second sale.
DRAFT_RETENTION = timedelta(days=2)
#: Seconds that a second press waits for the first one's sale.
WAIT_SECONDS = 3.0


def reserve(draft: UUID) -> bool:
    """Reserve a draft; False when it was submitted before. client.UNAVAILABLE when Redis is away."""
    return bool(client.get().set(_key(draft), "", nx=True, ex=DRAFT_RETENTION))


def record_sale(draft: UUID, voucher_id: int) -> None:
    """Remember which sale a draft became."""
    client.get().set(_key(draft), str(voucher_id), ex=DRAFT_RETENTION)


def release(draft: UUID) -> None:
    """Free a draft that made no sale, so that it can be submitted again."""
    client.get().delete(_key(draft))


def wait_for_sale_id(draft: UUID) -> int | None:
    """The id of the sale that the first submission made, waiting a moment for it; None when it made none."""
    ends_at = time.monotonic() + WAIT_SECONDS
    while (sale_id := client.get().get(_key(draft))) == "" and time.monotonic() < ends_at:
        time.sleep(0.05)
    return int(str(sale_id)) if sale_id else None


def _key(draft: UUID) -> str:
    return keys.NEW_SALE(draft=draft.hex)
