"""Tells buyers of their orders' states, in the transaction that changes the order: on the site, and by text
messages in the buyer's language. Orders of one voucher that change together are one message.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter

from django.conf import settings
from django.db.models import prefetch_related_objects
from django.utils import translation
from django.utils.translation import gettext as _

from apps.coupons.models import Status, VoucherOrder
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage
from apps.queues.delayed import Priority
from apps.shops import money

MessageValues = dict[str, str]
#: The text of a message about so many orders.
Words = Callable[[MessageValues, int], str]


def post_paid(orders: Sequence[VoucherOrder]) -> None:
    """Tell the buyers that their orders are paid; a constant number of queries."""
    _post(orders, "paid", _paid_text, priority=Priority.HIGH)


def post_used(orders: Sequence[VoucherOrder]) -> None:
    """Tell the guests, on the site alone, that their coupons were used in the shop."""
    notifications.notify(
        *(
            replace(_build_notice(order, "used"), recipient_id=order.guest_id, is_site_only=True)
            for order in orders
        )
    )


def post_given(orders: Sequence[VoucherOrder]) -> None:
    """Tell the buyers who took their orders' coupons."""
    for order in orders:
        notifications.notify(
            Notice(
                order.user_id,
                Kind.ORDER,
                actor_id=order.holder_id,
                target_kind="order",
                target_id=order.pk,
                text="given",
            )
        )


def post_given_back(orders: Sequence[VoucherOrder]) -> None:
    """Tell the buyers, on the site alone, that coupons that they gave away are theirs again.

    A buyer whose account is deleted gets no message.
    """
    prefetch_related_objects(orders, "user")
    notifications.notify(
        *(
            replace(_build_notice(order, "given-back"), is_site_only=True)
            for order in orders
            if order.user.is_active
        )
    )


def post_timed_out(orders: Sequence[VoucherOrder]) -> None:
    """Tell the buyers that their unpaid orders were cancelled; a constant number of queries."""
    _post(orders, "timed-out", _timed_out_text)


def post_refunded(orders: Sequence[VoucherOrder]) -> None:
    """Tell the buyers that their orders are refunded, and the receivers of gifts that these have ended."""
    _post(orders, "refunded", _refunded_text)
    _post_gifts_over(orders)


def post_expired(orders: Sequence[VoucherOrder]) -> None:
    """Tell the buyers that their unused orders expired and are refunded; a constant number of queries."""
    _post(orders, "expired", _expired_text)
    _post_gifts_over(orders)


def _post_gifts_over(orders: Sequence[VoucherOrder]) -> None:
    """Tell the receivers of gifts, on the site alone, that their coupons can't be used any more."""
    over = [
        Notice(
            recipient_id=order.holder_id,
            kind=Kind.ORDER,
            target_kind="order",
            target_id=order.pk,
            text="gift-over",
            is_site_only=True,
        )
        for order in orders
        if order.holder_id
    ]
    if over:
        notifications.notify(*over)


def _paid_text(about: MessageValues, count: int) -> str:
    if count == 1:
        words = _("%(site)s: %(title)s at %(shop)s is yours. Show the code of order %(order)s in the shop.")
    else:
        words = _(
            "%(site)s: %(count)s coupons of %(title)s at %(shop)s are yours. Show their codes in the shop."
        )
    return words % about


def _timed_out_text(about: MessageValues, count: int) -> str:
    if count == 1:
        words = _("%(site)s: order %(order)s (%(title)s) was not paid in time and is cancelled.")
    else:
        words = _("%(site)s: %(count)s orders (%(title)s) were not paid in time and are cancelled.")
    return words % about


def _refunded_text(about: MessageValues, _count: int) -> str:
    return _("%(site)s: %(price)s for order %(order)s (%(title)s) is on its way back to you.") % about


def _expired_text(about: MessageValues, count: int) -> str:
    if count == 1:
        words = _(
            "%(site)s: %(title)s was not used while it was valid."
            " %(price)s for order %(order)s is on its way back to you."
        )
    else:
        words = _(
            "%(site)s: %(count)s coupons of %(title)s were not used while they were valid."
            " %(price)s for them is on its way back to you."
        )
    return words % about


def _post(
    orders: Sequence[VoucherOrder], what: str, words: Words, *, priority: Priority = Priority.NORMAL
) -> None:
    prefetch_related_objects(orders, "user", "voucher__shop")
    purchases: dict[tuple[int, int], list[VoucherOrder]] = {}
    for order in sorted(orders, key=attrgetter("pk")):
        purchases.setdefault((order.user_id, order.voucher_id), []).append(order)
    notifications.notify(
        *(
            replace(
                _build_notice(purchase[0], what if len(purchase) == 1 else f"several-{what}"),
                sms=_build_message(purchase, what, words, priority),
            )
            for purchase in purchases.values()
        )
    )


def _build_notice(order: VoucherOrder, state: str) -> Notice:
    kind = Kind.REFUND if order.status == Status.REFUNDED else Kind.ORDER
    return Notice(recipient_id=order.user_id, kind=kind, target_kind="order", target_id=order.pk, text=state)


def _build_message(
    purchase: Sequence[VoucherOrder], what: str, words: Words, priority: Priority
) -> OutgoingMessage:
    first, price = purchase[0], sum(order.price for order in purchase)
    about = {
        "site": settings.SITE_NAME,
        "order": str(first.pk),
        "count": str(len(purchase)),
        "title": first.voucher.title,
        "shop": first.voucher.shop.name,
        "price": money.format_amount(price, first.currency),
    }
    with translation.override(first.user.message_language):
        text = words(about, len(purchase))
    key = f"order:{first.pk}:{what}"
    return OutgoingMessage(channel=Channel.SMS, to=first.user.phone, text=text, key=key, priority=priority)
