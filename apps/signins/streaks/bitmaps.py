"""Months of sign-ins in Redis: copies of SQL's masks, read through.

A month is 32 bits: one for each day, and a last one that says "whole". A bit written into a month that was
lost is therefore never taken for all of it. Bits are only ever set, so filling twice or in any order is safe.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

from apps.redis_kit import client
from apps.signins import keys
from apps.signins.models import SignInMonth
from apps.signins.streaks import days

MONTH_TTL = timedelta(days=62)
#: A person and the first day of a month.
PersonMonth = tuple[int, date]


def read_masks(user_id: int, months: Sequence[date]) -> dict[date, int]:
    """Masks of these months, in one round trip; those that Redis lacks come from SQL and are filled in."""
    try:
        found = read_cached([(user_id, month) for month in months])
    except client.UNAVAILABLE:
        return masks_from_sql(user_id, months)
    masks = {month: mask for (_, month), mask in found.items()}
    if missing := [month for month in months if month not in masks]:
        added = masks_from_sql(user_id, missing)
        with suppress(*client.UNAVAILABLE):
            fill_masks({(user_id, month): mask for month, mask in added.items()})
        masks |= added
    return masks


def read_cached(places: Sequence[PersonMonth]) -> dict[PersonMonth, int]:
    """What Redis knows for sure, in one round trip: the masks of whole months."""
    with client.get().pipeline(transaction=False) as pipe:
        for place in places:
            pipe.execute_command("BITFIELD", month_key(*place), "GET", "u32", 0)
        found = [answer[0] for answer in pipe.execute()]
    return {place: bits >> 1 for place, bits in zip(places, found, strict=True) if bits & 1}


def masks_from_sql(user_id: int, months: Iterable[date]) -> dict[date, int]:
    """What SQL knows; 0 for months without a sign-in."""
    rows = SignInMonth.objects.filter(user_id=user_id, month__in=months)
    return dict.fromkeys(months, 0) | rows.masks()


def fill_masks(masks: Mapping[PersonMonth, int]) -> None:
    """Write whole months, by person and month, in one round trip."""
    # No transaction: people are in different slots, and a month cut off from its expiry is still true.
    with client.get().pipeline(transaction=False) as pipe:
        for (user_id, month), mask in masks.items():
            pipe.execute_command("BITFIELD", month_key(user_id, month), *_set_bit_args(mask))
            pipe.expire(month_key(user_id, month), MONTH_TTL)
        pipe.execute()


def refill_person(user_id: int) -> dict[date, int]:
    """Every month of a person from SQL, written to Redis if it is there."""
    masks = SignInMonth.objects.filter(user_id=user_id).masks()
    with suppress(*client.UNAVAILABLE):
        fill_masks({(user_id, month): mask for month, mask in masks.items()})
    return masks


def month_key(user_id: int, month: date) -> str:
    return keys.CHECK_IN_MONTH(user=user_id, month=f"{month.year:04}{month.month:02}")


def _set_bit_args(mask: int) -> list[Any]:
    """SET of each run of set bits, "whole" among them: a bit that somebody else has just written stays."""
    runs = [(run.start(), len(run[0])) for run in re.finditer("1+", f"{mask:0{days.MASK_BITS}b}1")]
    return [word for start, length in runs for word in ("SET", f"u{length}", start, 2**length - 1)]
