"""Order ids: the second and a per-day counter (redis_kit.ids), the counter's low bits naming its lane.

Each partition counts for itself, so no two partitions may hand out one id: the lane keeps them apart.
`lua/claim.lua` composes the same number; a property test holds the two together.
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


def new_for_ordinary_voucher() -> int:
    """A new id for an order that no claim made."""
    second, counter = ids.reserve("order")
    return compose(second, counter, lane=ORDINARY_LANE)
