"""Tells buyers' live streams the new state of their orders."""

from collections.abc import Sequence

from apps.coupons.models import VoucherOrder
from apps.front import live
from apps.web import on_commit


def tell_of_orders(orders: Sequence[VoucherOrder], status: str) -> None:
    """Tell buyers, and those to whom their orders were given, after the commit."""
    buyers = [(order.user_id, order.pk) for order in orders]
    holders = [(order.holder_id, order.pk) for order in orders if order.holder_id]
    tell_after_commit([*buyers, *holders], status)


def tell_of_gift(order: VoucherOrder) -> None:
    """Tell the buyer, after the commit, that a coupon was taken or came back; its status stays."""
    details = {"id": str(order.pk), "status": str(order.status), "given": "1"}
    on_commit.run_after_commit(live.publish_each, [live.Event(order.user_id, "order", details)])


def tell_after_commit(orders: Sequence[tuple[int, int]], status: str) -> None:
    """Tell each buyer, given as (user id, order id), after the commit; those without a stream cost little."""
    events = [
        live.Event(user_id, "order", {"id": str(order_id), "status": str(status)})
        for user_id, order_id in orders
    ]
    if events:
        on_commit.run_after_commit(live.publish_each, events)
