"""Composes order ids: the second and a per-day counter (redis_kit.ids), whose low bits are a lane.

Each partition counts for itself; the lane keeps two partitions from giving out the same id.
`claims/lua/claim.lua` composes the same number; a property test compares the two.
"""

from apps.coupons import keys
from apps.redis_kit import ids

LANE_BITS = 5
LANES = 1 << LANE_BITS
#: Orders of ordinary vouchers don't pass through a partition.
ORDINARY_LANE = keys.PARTITIONS


def compose(second: int, counter: int, *, lane: int) -> int:
    """The order id of a second since `ids.EPOCH`, a counter of the day and a lane (0 to 31)."""
    return ids.compose(second, counter << LANE_BITS | lane)


def new_for_ordinary_voucher(count: int = 1) -> list[int]:
    """`count` new ids, in order, for orders that no claim made."""
    second, first = ids.reserve("order", count)
    return [compose(second, first + offset, lane=ORDINARY_LANE) for offset in range(count)]
