"""Months of check-ins as bitmaps in Redis: copies of SQL's masks, filled in when they are read.

A month has 32 bits: one for each day, and a last one that marks the month as complete. A single bit written
into a month that Redis had lost is therefore never mistaken for the whole month. Bits are only ever set, so
filling twice or in any order is safe.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

from apps.redis_kit import client, copies, transport
from apps.redis_kit.findings import Finding
from apps.redis_kit.transport import Command
from apps.signins import keys
from apps.signins.models import SignInMonth
from apps.signins.streaks import days

MONTH_TTL = timedelta(days=62)
#: A person and the first day of a month.
PersonMonth = tuple[int, date]


def read_masks(user_id: int, months: Sequence[date]) -> dict[date, int]:
    """Masks of the months by first day, in one round trip.

    SQL supplies months that Redis lacks, and fills them in.
    """
    try:
        cached = read_cached([(user_id, month) for month in months])
    except client.UNAVAILABLE:
        return masks_from_sql(user_id, months)
    masks = {month: mask for (_, month), mask in cached.items()}
    if missing := [month for month in months if month not in masks]:
        added = masks_from_sql(user_id, missing)
        with suppress(*client.UNAVAILABLE):
            fill_masks({(user_id, month): mask for month, mask in added.items()})
        masks |= added
    return masks


def read_cached(person_months: Collection[PersonMonth]) -> dict[PersonMonth, int]:
    """The masks of the months that are complete in Redis, in one round trip."""
    with client.get().pipeline(transaction=False) as pipe:
        for person_month in person_months:
            pipe.execute_command("BITFIELD", month_key(*person_month), "GET", "u32", 0)
        values = [reply[0] for reply in pipe.execute()]
    pairs = zip(person_months, values, strict=True)
    return {person_month: bits >> 1 for person_month, bits in pairs if bits & 1}


def masks_from_sql(user_id: int, months: Iterable[date]) -> dict[date, int]:
    """Masks from SQL; 0 for months without a check-in."""
    rows = SignInMonth.objects.filter(user_id=user_id, month__in=months)
    return dict.fromkeys(months, 0) | rows.masks()


def fill_masks(masks: Mapping[PersonMonth, int]) -> None:
    """Write complete months to Redis in one round trip."""
    # No transaction: people are in different slots, and a month without its expiry is still correct.
    transport.execute_many(client.get(), fill_commands(masks))


def fill_commands(masks: Mapping[PersonMonth, int]) -> list[Command]:
    """The commands that write complete months."""
    names = {month_key(user_id, month): mask for (user_id, month), mask in masks.items()}
    fills: list[Command] = [("BITFIELD", name, *_set_bit_args(mask)) for name, mask in names.items()]
    return fills + [("EXPIRE", name, int(MONTH_TTL.total_seconds())) for name in names]


def refill_person(user_id: int) -> dict[date, int]:
    """All masks of a person from SQL, which are written to Redis if it is available."""
    masks = SignInMonth.objects.filter(user_id=user_id).masks()
    with suppress(*client.UNAVAILABLE):
        fill_masks({(user_id, month): mask for month, mask in masks.items()})
    return masks


def month_key(user_id: int, month: date) -> str:
    """The Redis key of a person's month."""
    return keys.CHECK_IN_MONTH(user=user_id, month=f"{month.year:04}{month.month:02}")


def _set_bit_args(mask: int) -> list[Any]:
    """BITFIELD arguments that set the mask's bits and the complete bit; they clear none, so check-ins that
    arrive first are kept.
    """
    runs = [(run.start(), len(run[0])) for run in re.finditer("1+", f"{mask:0{days.MASK_BITS}b}1")]
    return [word for start, length in runs for word in ("SET", f"u{length}", start, 2**length - 1)]


def _query(person_months: Collection[PersonMonth]) -> dict[PersonMonth, int]:
    people, months = {user_id for user_id, _ in person_months}, {month for _, month in person_months}
    rows = SignInMonth.objects.filter(user__in=people, month__in=months)
    masks = {(user_id, month): mask for user_id, month, mask in rows.values_list("user_id", "month", "mask")}
    return {person_month: masks.get(person_month, 0) for person_month in person_months}


def _forget(person_months: Collection[PersonMonth]) -> None:
    transport.execute_many(
        client.get(), [("DEL", month_key(*person_month)) for person_month in person_months]
    )


def _describe(person_month: PersonMonth, *masks: int) -> list[Finding]:
    user_id, month = person_month
    actual, expected = (f"{month:%Y-%m} {mask:0{days.MASK_BITS}b}" for mask in masks)
    return [Finding(f"person {user_id}", "month", actual, expected)]


def _parse_owner(parts: Mapping[str, str]) -> PersonMonth:
    month = parts["month"]
    return int(parts["user"]), date(int(month[:4]), int(month[4:]), 1)


#: The months, which need no lease: a check-in sets its bit, and filling clears none.
MONTHS = copies.Copy(
    keys.CHECK_IN_MONTH,
    read_copies=read_cached,
    query=_query,
    forget=_forget,
    describe=_describe,
    parse_owner=_parse_owner,
)
