"""What an event of an order causes, in one table: units, live pages, messages to people, webhooks of shops.

    effects.apply(paid, Event.PAID)    # in the transaction that changes the orders' rows

Notifications, text messages, pushes and webhooks are rows of that transaction, which the outbox sends. What
concerns Redis follows the commit, remembered by a row where its loss would matter (docs/effects.md). The
money of a refund is payments.refunds' part, in the same transaction.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from enum import Enum, auto
from functools import partial

from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import Status, Voucher, VoucherOrder, WebhookEvent
from apps.coupons.orders import buyer_messages, closing, live_states, returns
from apps.coupons.webhooks import deliveries
from apps.metrics import gathering
from apps.shops.models import ShopGuest
from apps.web import on_commit


class Event(Enum):
    """What happens to an order that has a row."""

    #: Of an ordinary voucher; an order of a sale is recorded (`apply_recorded`).
    CREATED = auto()
    PAID = auto()
    USED = auto()
    #: By its buyer or by staff.
    CANCELLED = auto()
    #: By its buyer, before the consumer has recorded it: SQL has taken no unit.
    CANCELLED_EARLY = auto()
    #: Because it was not paid before its deadline.
    TIMED_OUT = auto()
    #: On demand.
    REFUNDED = auto()
    #: Refunded because it was not used while it was valid.
    EXPIRED = auto()
    #: To the person who is its holder now.
    GIVEN = auto()
    #: To its buyer, when the holder's account is deleted.
    GIVEN_BACK = auto()


Effect = Callable[[Sequence[VoucherOrder]], None]


def _schedule_closing(orders: Sequence[VoucherOrder]) -> None:
    closing.schedule_after_commit(order.pay_deadline for order in orders)


def _count(orders: Sequence[VoucherOrder]) -> None:
    on_commit.run_after_commit(gathering.count, f"orders.{orders[0].status}", len(orders))


def _remember_guests(orders: Sequence[VoucherOrder]) -> None:
    vouchers = {order.voucher_id for order in orders}
    shops = dict(Voucher.objects.filter(pk__in=vouchers).values_list("pk", "shop"))
    guests = [ShopGuest(shop_id=shops[order.voucher_id], user_id=order.guest_id) for order in orders]
    ShopGuest.objects.bulk_create(guests, ignore_conflicts=True)


def _send(event: WebhookEvent) -> Effect:
    return partial(deliveries.publish, event=event)


#: Short names, so that an event is a line of the table.
_return, _publish = returns.return_units, live_states.publish_states
#: In this order: who reads that an order is over may buy again, so its unit is back before.
EFFECTS: dict[Event, tuple[Effect, ...]] = {
    Event.CREATED: (_schedule_closing,),
    Event.PAID: (_publish, buyer_messages.post_paid, _send(WebhookEvent.PAID), _count),
    Event.USED: (_remember_guests, _publish, buyer_messages.post_used, _send(WebhookEvent.USED), _count),
    Event.CANCELLED: (_return, _publish, _count),
    Event.CANCELLED_EARLY: (returns.release_after_commit, _publish),
    Event.TIMED_OUT: (_return, _publish, buyer_messages.post_timed_out, _count),
    Event.REFUNDED: (_return, _publish, buyer_messages.post_refunded, _send(WebhookEvent.REFUNDED), _count),
    Event.EXPIRED: (_return, _publish, buyer_messages.post_expired, _send(WebhookEvent.EXPIRED), _count),
    Event.GIVEN: (live_states.publish_gifts, buyer_messages.post_given),
    Event.GIVEN_BACK: (live_states.publish_gifts, buyer_messages.post_given_back),
}


def apply(orders: Sequence[VoucherOrder], event: Event) -> None:
    """Apply the effects of an event in the transaction that changes the orders' rows; nothing without orders.

    The number of queries doesn't grow with the orders of a voucher, but for gifts, which are given one by
    one.
    """
    for effect in EFFECTS[event] if orders else ():
        effect(orders)


def apply_recorded(buyers: Sequence[tuple[int, int]], *, new_deadlines: Collection[datetime]) -> None:
    """Apply the effects of accepted orders that become rows, given as (user id, order id), in their
    transaction.

    An entry may come twice, because its consumer died before the effects: its buyer gets the message again.
    """
    closing.schedule_after_commit(new_deadlines)
    live_states.publish_after_commit(buyers, Status.UNPAID)


def apply_set_aside(accepted: Sequence[AcceptedOrder]) -> None:
    """Apply the effects of accepted orders that become dead letters instead; raises client.UNAVAILABLE.

    Nothing remembers them but their entries, which are delivered again until their units are back.
    """
    live_states.publish_after_commit([(one.user_id, one.order_id) for one in accepted], Status.CANCELLED)
    returns.release_many_in_redis(
        [returns.Unit(one.voucher_id, one.user_id, one.order_id, one.piece) for one in accepted]
    )
