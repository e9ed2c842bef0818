"""Changes of an order's status: each is one conditional UPDATE along models.ORDER_TRANSITIONS, so one of two
competing changes wins. What a change causes is in effects.py.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.claims import order_ids
from apps.coupons.models import ORDER_TRANSITIONS, Status, Voucher, VoucherOrder, VoucherOrderQuerySet
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.coupons.orders import closing, effects, redeem_codes
from apps.coupons.orders.effects import Event

#: Overdue or expired orders of one transaction: those of a sale end all in the same minute.
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


class TooFewLeft(Exception):
    """The person may have only `left` more coupons of this voucher."""

    def __init__(self, left: int) -> None:
        super().__init__(f"only {left} more")
        self.left = left


class AlreadyBought(Exception):
    """The person already has the order `order_id` of this voucher."""

    def __init__(self, order_id: int) -> None:
        super().__init__(f"already bought: order {order_id}")
        self.order_id = order_id


def create_order(voucher: Voucher, *, user: User, request_token: str) -> VoucherOrder:
    """The person's new order of an ordinary voucher; see create_orders."""
    return create_orders(voucher, user=user, request_token=request_token)[0]


def create_orders(voucher: Voucher, *, user: User, request_token: str, count: int = 1) -> list[VoucherOrder]:
    """The person's new orders of an ordinary voucher, made in SQL, all or none; the same request token gets
    the same orders.

    Raises AlreadyBought when they have as many as one person may, TooFewLeft when they may have some more and
    fewer than `count`, and client.UNAVAILABLE because Redis makes the ids.
    """
    numbers = order_ids.new_for_ordinary_voucher(count)
    mine = VoucherOrder.objects.filter(user=user, voucher=voucher)
    try:
        with transaction.atomic():
            # One purchase of a person at a time: what another presses meanwhile sees this one.
            User.objects.select_for_update(no_key=True).get(pk=user.pk)
            if repeated := _find_repeated(mine, request_token):
                return repeated
            pieces, tokens = _find_free_pieces(voucher, mine, count), _number_token(request_token)
            common = _build_terms(voucher, user)
            made = VoucherOrder.objects.bulk_create(
                VoucherOrder(id=number, piece=piece, token=token, redeem_code=code, **common)
                for number, piece, token, code in zip(
                    numbers, pieces, tokens[:count], redeem_codes.draw(count), strict=True
                )
            )
            effects.apply(made, Event.CREATED)
            return made
    except IntegrityError:
        # A process of the release before, while the site is upgraded, locks nothing.
        if repeated := _find_repeated(mine, request_token):
            return repeated
        raise AlreadyBought(mine.active().latest("pk").pk) from None


def _build_terms(voucher: Voucher, user: User) -> dict[str, Any]:
    """What the orders of one purchase have in common."""
    return {
        "user": user,
        "voucher": voucher,
        "price": voucher.price,
        "currency": voucher.currency,
        "accepted_at": timezone.now(),
        "pay_deadline": closing.payment_deadline(),
        "valid_until": voucher.valid_until,
    }


def _number_token(request_token: str) -> list[str]:
    """The tokens of a request's orders: its own, and for further ones what no client can send, as long."""
    digest = hashlib.blake2b(request_token.encode(), digest_size=30).hexdigest()
    return [request_token, *(f"{number}:{digest}" for number in range(2, MAX_PER_PERSON + 1))]


def _find_repeated(mine: VoucherOrderQuerySet, request_token: str) -> list[VoucherOrder]:
    """The orders that the request has made already, in their order."""
    return list(mine.filter(token__in=_number_token(request_token)).order_by("pk"))


def _find_free_pieces(voucher: Voucher, mine: VoucherOrderQuerySet, count: int) -> list[int]:
    """The first `count` numbers that none of the person's active orders has; AlreadyBought, TooFewLeft."""
    had = dict(mine.active().order_by("pk").values_list("piece", "pk"))
    left = voucher.per_person - len(had)
    if left <= 0:
        raise AlreadyBought(max(had.values()))
    if left < count:
        raise TooFewLeft(left)
    return sorted(set(range(voucher.per_person)) - had.keys())[:count]


def mark_paid(order: VoucherOrder) -> None:
    """Mark an unpaid order as paid; raises TransitionNotAllowed past its deadline, or in another status."""
    if not mark_all_paid([order]):
        raise TransitionNotAllowed(_read_status(order), Status.PAID)


def mark_all_paid(orders: Sequence[VoucherOrder], *, grace: timedelta = timedelta(0)) -> list[VoucherOrder]:
    """Mark those of several orders as paid that are unpaid and within their deadline and grace; returns them.

    The buyer gets one message about all orders of a voucher.
    """
    now = timezone.now()
    is_in_time = Q(pay_deadline__gt=now - grace)
    with transaction.atomic():
        paid = [order for order in orders if _transition(order, Status.PAID, is_in_time, at=now)]
        effects.apply(paid, Event.PAID)
    return paid


def cancel(order: VoucherOrder, *, at: datetime | None = None) -> None:
    """Cancel an unpaid order and give its unit back exactly once; raises TransitionNotAllowed."""
    with transaction.atomic():
        _transition_or_refuse(order, Status.CANCELLED, at=at or timezone.now())
        effects.apply([order], Event.CANCELLED)


def mark_refunded(order: VoucherOrder) -> None:
    """Mark a paid, unused order as refunded and return its unit, once; raises TransitionNotAllowed, also
    when it was given away since it was read.

    The money is payments.refunds' part: refund_order does both in one transaction.
    """
    with transaction.atomic():
        _transition_or_refuse(order, Status.REFUNDED, Q(holder=order.holder_id), at=timezone.now())
        effects.apply([order], Event.REFUNDED)


def redeem(order: VoucherOrder) -> None:
    """Mark a paid order as used in the shop, once, while it is valid and has the code that was read; raises
    TransitionNotAllowed.
    """
    now = timezone.now()
    with transaction.atomic():
        is_valid = Q(valid_until=None) | Q(valid_until__gt=now)
        _transition_or_refuse(order, Status.USED, is_valid, Q(redeem_code=order.redeem_code), at=now)
        effects.apply([order], Event.USED)


def close_overdue(voucher_id: int | None = None) -> int:
    """Cancel every unpaid order past its deadline, oldest first; returns their number."""
    closed = 0
    while some := close_batch(voucher_id):
        closed += some
    return closed


def close_batch(voucher_id: int | None = None) -> int:
    """Cancel up to MAX_BATCH_ORDERS unpaid orders past their deadline, oldest first; 0 when none is left."""
    return len(_end_batch(_overdue(voucher_id), Status.CANCELLED, Event.TIMED_OUT))


def expire_batch() -> list[VoucherOrder]:
    """Mark some of the paid orders past their vouchers' date as refunded and return their units, once each.

    The money is refunds.refund_expired's part, in the same transaction; empty when none is left.
    """
    expired = VoucherOrder.objects.expired().order_by("valid_until")
    return _end_batch(expired, Status.REFUNDED, Event.EXPIRED)


def _overdue(voucher_id: int | None) -> VoucherOrderQuerySet:
    overdue = VoucherOrder.objects.overdue().order_by("pay_deadline")
    return overdue if voucher_id is None else overdue.filter(voucher_id=voucher_id)


def _end_batch(due: VoucherOrderQuerySet, to: Status, event: Event) -> list[VoucherOrder]:
    now, column = timezone.now(), _TIMESTAMP_COLUMNS[to]
    with transaction.atomic():
        # What is locked is being paid or redeemed, or ended by another.
        rows = list(due.select_for_update(skip_locked=True)[:MAX_BATCH_ORDERS])
        due.filter(pk__in=[order.pk for order in rows]).order_by().update(status=to, **{column: now})
        for order in rows:
            order.status = to
            setattr(order, column, now)
        effects.apply(rows, event)
    return rows


def _transition_or_refuse(order: VoucherOrder, to: Status, *only_if: Q, at: datetime) -> None:
    if not _transition(order, to, *only_if, at=at):
        raise TransitionNotAllowed(_read_status(order), to)


def _transition(order: VoucherOrder, to: Status, *only_if: Q, at: datetime) -> bool:
    origins = [origin for origin, ends in ORDER_TRANSITIONS.items() if to in ends]
    rows = VoucherOrder.objects.filter(*only_if, pk=order.pk, status__in=origins)
    moved = rows.update(status=to, **{_TIMESTAMP_COLUMNS[to]: at}) == 1
    if moved:
        order.status = to
        setattr(order, _TIMESTAMP_COLUMNS[to], at)
    return moved


def _read_status(order: VoucherOrder) -> str:
    return VoucherOrder.objects.values_list("status", flat=True).get(pk=order.pk)
