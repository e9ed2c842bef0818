"""Tells buyers' live streams the new state of their orders."""

from collections.abc import Sequence

from apps.front import live
from apps.web import on_commit


def tell_after_commit(orders: Sequence[tuple[int, int]], status: str) -> None:
    """Tell each buyer, given as (user id, order id), after the commit; those without a stream cost little."""
    events = [
        live.Event(user_id, "order", {"id": str(order_id), "status": str(status)})
        for user_id, order_id in orders
    ]
    if events:
        on_commit.run_after_commit(live.publish_each, events)
