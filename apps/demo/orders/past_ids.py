"""Ids of orders as they would have been made at a past moment: the admin's charts find orders by them."""

from datetime import datetime

from apps.coupons.claims import order_ids
from apps.redis_kit import ids


def compose(at: datetime, number: int) -> int:
    """The id of an order of that second; `number` tells orders of one second from each other."""
    return order_ids.compose(int(at.timestamp()) - ids.EPOCH, number, lane=order_ids.ORDINARY_LANE)
