"""Tells buyers' live streams the new state of their orders."""

from collections.abc import Sequence
from functools import partial

from apps.coupons.models import Status, VoucherOrder
from apps.front import live
from apps.queues import owed


def tell_of_orders(orders: Sequence[VoucherOrder], status: str) -> None:
    """Tell buyers, and those to whom their orders were given, after the commit."""
    buyers = [(order.user_id, order.pk) for order in orders]
    holders = [(order.holder_id, order.pk) for order in orders if order.holder_id]
    tell_after_commit([*buyers, *holders], status)


def tell_of_gift(order: VoucherOrder) -> None:
    """Tell the buyer, after the commit, that a coupon was taken or came back; its status stays."""
    details = {"id": str(order.pk), "status": str(order.status), "given": "1"}
    at_once = partial(live.publish_each, [live.Event(order.user_id, "order", details)])
    owed.run_after_commit(tell_again, [[order.user_id, order.pk]], at_once=at_once)


def tell_after_commit(orders: Sequence[tuple[int, int]], status: str) -> None:
    """Tell each buyer, given as (user id, order id), after the commit; those without a stream cost little."""
    events = [
        live.Event(user_id, "order", {"id": str(order_id), "status": str(status)})
        for user_id, order_id in orders
    ]
    if events:
        owed.run_after_commit(tell_again, orders, at_once=partial(live.publish_each, events))


def tell_again(orders: Sequence[Sequence[int]]) -> None:
    """Tell each of these people, given as (user id, order id), the state that the order has in SQL by now.

    One without a row was refused: its buyer reads cancelled.
    """
    rows = VoucherOrder.objects.filter(pk__in={order_id for _user_id, order_id in orders})
    states = dict(rows.values_list("pk", "status"))
    live.publish_each(
        [
            live.Event(
                user_id, "order", {"id": str(order_id), "status": states.get(order_id, Status.CANCELLED)}
            )
            for user_id, order_id in orders
        ]
    )
