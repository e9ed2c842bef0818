"""Globally unique, time-ordered 64-bit ids: seconds since an epoch << 32, or'ed with a per-day counter.

An id passes 2^53, so JSON carries it as a string and Lua never as a number.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from apps.redis_kit import client, keys, scripts

#: 2025-01-01 in unix seconds; 31 bits of seconds last until 2093.
EPOCH = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp())
COUNTER_BITS = 32
#: Long enough that no day's counter ends before its day does, in any time zone.
CLOCK_TTL_SECONDS = 2 * 86_400


def _parse_pair(raw: Sequence[int]) -> tuple[int, int]:
    return int(raw[0]), int(raw[1])


NEXT_IDS = scripts.Script("reserve_ids", package="apps.redis_kit", reply=_parse_pair)


def compose(second: int, counter: int) -> int:
    """The id of a second since EPOCH and a counter; OverflowError past 31 or 32 bits."""
    if not (0 <= second < 1 << 31 and 0 <= counter < 1 << COUNTER_BITS):
        raise OverflowError(f"second {second} or counter {counter} is out of range")
    return second << COUNTER_BITS | counter


def decompose(number: int) -> tuple[int, int]:
    """(second since EPOCH, counter) of an id."""
    return number >> COUNTER_BITS, number & ((1 << COUNTER_BITS) - 1)


def created_at(number: int) -> datetime:
    """The second in which an id was made, in UTC."""
    return datetime.fromtimestamp(EPOCH + (number >> COUNTER_BITS), tz=UTC)


def reserve(noun: str, count: int = 1) -> tuple[int, int]:
    """Reserve `count` ids of a noun: (second, counter of the first); one round trip."""
    key = keys.ID_CLOCK(noun=noun)
    return NEXT_IDS(client.get(), keys=[key], args=[count, EPOCH, CLOCK_TTL_SECONDS])


def next_ids(noun: str, count: int = 1) -> list[int]:
    """`count` new ids of a noun, in order."""
    second, first = reserve(noun, count)
    return [compose(second, first + offset) for offset in range(count)]


def next_id(noun: str) -> int:
    """One new id of a noun."""
    return next_ids(noun)[0]
