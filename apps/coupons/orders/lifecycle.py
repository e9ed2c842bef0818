"""Changes of an order's status: each is one conditional UPDATE along models.ORDER_TRANSITIONS, so one of two
competing changes wins."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.claims import order_ids
from apps.coupons.models import ORDER_TRANSITIONS, Status, Voucher, VoucherOrder
from apps.coupons.orders import buyer_messages, closing, live_states, recording, returns
from apps.metrics import gathering
from apps.web import on_commit

#: Overdue orders of one transaction: a sale's buyers forget to pay all in the same minute.
MAX_BATCH_ORDERS = 200
#: The column that remembers when an order came to a status.
_TIMESTAMP_COLUMNS = {
    Status.PAID: "paid_at",
    Status.CANCELLED: "cancelled_at",
    Status.USED: "used_at",
    Status.REFUNDED: "refunded_at",
}


class TransitionNotAllowed(Exception):
    """The order's `status` does not allow the change to `to`."""

    def __init__(self, status: str, to: Status) -> None:
        super().__init__(f"not possible while the order is {status}")
        self.status, self.to = status, to


class AlreadyBought(Exception):
    """The person already has the order `order_id` of this voucher."""

    def __init__(self, order_id: int) -> None:
        super().__init__(f"already bought: order {order_id}")
        self.order_id = order_id


def create_order(voucher: Voucher, *, user: User, request_token: str) -> VoucherOrder:
    """The person's new order of an ordinary voucher, made in SQL; the same request token gets the same order.

    Raises AlreadyBought, and client.UNAVAILABLE because the id is made by Redis.
    """
    try:
        with transaction.atomic():
            order = VoucherOrder.objects.create(
                id=order_ids.new_for_ordinary_voucher(),
                token=request_token,
                user=user,
                voucher=voucher,
                price=voucher.price,
                currency=voucher.currency,
                accepted_at=timezone.now(),
                pay_deadline=closing.payment_deadline(),
                redeem_code=recording.new_redeem_code(),
            )
            closing.schedule_after_commit([order.pay_deadline])
            return order
    except IntegrityError:
        mine = VoucherOrder.objects.filter(user=user, voucher=voucher)
        if repeated := mine.filter(token=request_token).first():
            return repeated
        raise AlreadyBought(mine.active().get().pk) from None


def mark_paid(order: VoucherOrder, *, grace: timedelta = timedelta(0)) -> None:
    """Mark an unpaid order as paid; raises TransitionNotAllowed past its deadline and grace, or in another
    status.
    """
    now = timezone.now()
    with transaction.atomic():
        if not _transition(order, Status.PAID, at=now, pay_deadline__gt=now - grace):
            raise TransitionNotAllowed(_read_status(order), Status.PAID)
        buyer_messages.post_paid(order)


def cancel(order: VoucherOrder, *, at: datetime | None = None) -> None:
    """Cancel an unpaid order and give its unit back exactly once; raises TransitionNotAllowed."""
    _end_and_return_unit(order, Status.CANCELLED, at=at or timezone.now())


def mark_refunded(order: VoucherOrder) -> None:
    """Mark a paid, unused order as refunded and return its unit, once; raises TransitionNotAllowed.

    The money is payments.refunds' part: refund_order does both in one transaction.
    """
    with transaction.atomic():
        _end_and_return_unit(order, Status.REFUNDED, at=timezone.now())
        buyer_messages.post_refunded(order)


def redeem(order: VoucherOrder) -> None:
    """Mark a paid order as used in the shop, once; raises TransitionNotAllowed."""
    with transaction.atomic():
        if not _transition(order, Status.USED, at=timezone.now()):
            raise TransitionNotAllowed(_read_status(order), Status.USED)
        buyer_messages.post_used(order)


def close_overdue(voucher_id: int | None = None) -> int:
    """Cancel every unpaid order past its deadline, oldest first; returns their number."""
    closed = 0
    while some := _close_batch(voucher_id):
        closed += some
    return closed


def _close_batch(voucher_id: int | None) -> int:
    now = timezone.now()
    overdue = VoucherOrder.objects.overdue(now).order_by("pay_deadline")
    if voucher_id is not None:
        overdue = overdue.filter(voucher_id=voucher_id)
    with transaction.atomic():
        # What is locked is being paid, or closed by another.
        rows = list(overdue.select_for_update(skip_locked=True)[:MAX_BATCH_ORDERS])
        overdue.filter(pk__in=[order.pk for order in rows]).order_by().update(
            status=Status.CANCELLED, cancelled_at=now
        )
        for order in rows:
            order.status, order.cancelled_at = Status.CANCELLED, now
        _return_units(rows)
        live_states.tell_after_commit([(order.user_id, order.pk) for order in rows], Status.CANCELLED)
        buyer_messages.post_timed_out(rows)
        on_commit.run_after_commit(gathering.count, "orders.cancelled", len(rows))
    return len(rows)


def _end_and_return_unit(order: VoucherOrder, to: Status, *, at: datetime) -> None:
    with transaction.atomic():
        if not _transition(order, to, at=at):
            raise TransitionNotAllowed(_read_status(order), to)
        _return_units([order])


def _return_units(orders: Sequence[VoucherOrder]) -> None:
    came_back = returns.return_units_in_sql(orders)
    if came_back:
        on_commit.run_after_commit(returns.try_release_in_redis, came_back)


def _transition(order: VoucherOrder, to: Status, *, at: datetime, **only_if: Any) -> bool:
    origins = [origin for origin, ends in ORDER_TRANSITIONS.items() if to in ends]
    rows = VoucherOrder.objects.filter(pk=order.pk, status__in=origins, **only_if)
    moved = rows.update(status=to, **{_TIMESTAMP_COLUMNS[to]: at}) == 1
    if moved:
        order.status = to
        setattr(order, _TIMESTAMP_COLUMNS[to], at)
        live_states.tell_after_commit([(order.user_id, order.pk)], to)
        on_commit.run_after_commit(gathering.count, f"orders.{to}")
    return moved


def _read_status(order: VoucherOrder) -> str:
    return VoucherOrder.objects.values_list("status", flat=True).get(pk=order.pk)
