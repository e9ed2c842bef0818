"""Tells buyers' live streams the new state of their orders."""

from collections.abc import Sequence
from functools import partial

from apps.coupons.models import Status, VoucherOrder
from apps.front import live
from apps.queues import owed


def publish_states(orders: Sequence[VoucherOrder]) -> None:
    """Send buyers, and receivers of gifts, the state after the commit; all have the same status."""
    buyers = [(order.user_id, order.pk) for order in orders]
    holders = [(order.holder_id, order.pk) for order in orders if order.holder_id]
    publish_after_commit([*buyers, *holders], orders[0].status)


def publish_gifts(orders: Sequence[VoucherOrder]) -> None:
    """Tell buyers, after the commit, that their coupons were taken or came back; the status stays."""
    events = [
        live.Event(order.user_id, "order", {"id": str(order.pk), "status": str(order.status), "given": "1"})
        for order in orders
    ]
    buyers = [(order.user_id, order.pk) for order in orders]
    owed.run_after_commit(tell_again, buyers, at_once=partial(live.publish_each, events))


def publish_after_commit(orders: Sequence[tuple[int, int]], status: str) -> None:
    """Tell each buyer, given as (user id, order id), after the commit; those without a stream cost little."""
    events = [
        live.Event(user_id, "order", {"id": str(order_id), "status": str(status)})
        for user_id, order_id in orders
    ]
    if events:
        owed.run_after_commit(tell_again, orders, at_once=partial(live.publish_each, events))


def tell_again(orders: Sequence[Sequence[int]]) -> None:
    """Send each person, given as (user id, order id), the state that the order has in SQL by now.

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
