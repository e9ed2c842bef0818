"""What buyers are told of their orders: posted in the transaction that changes them, in their language."""

from collections.abc import Callable, Sequence

from django.db.models import prefetch_related_objects
from django.utils import translation
from django.utils.translation import gettext as _

from apps.coupons.models import VoucherOrder
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import Letter
from apps.redis_kit.delayed import Priority
from apps.shops import money

About = dict[str, str]


def paid(order: VoucherOrder) -> None:
    """The money is here."""
    _post([order], "paid", _paid, priority=Priority.HIGH)


def timed_out(orders: Sequence[VoucherOrder]) -> None:
    """Nobody paid in time; as many queries for a thousand as for one."""
    _post(orders, "timed-out", _timed_out)


def refunded(order: VoucherOrder) -> None:
    """The money goes back."""
    _post([order], "refunded", _refunded)


def _paid(about: About) -> str:
    return _("Savor: %(title)s at %(shop)s is yours. Show the code of order %(order)s in the shop.") % about


def _timed_out(about: About) -> str:
    return _("Savor: order %(order)s (%(title)s) was not paid in time and is cancelled.") % about


def _refunded(about: About) -> str:
    return _("Savor: %(price)s for order %(order)s (%(title)s) is on its way back to you.") % about


def _post(
    orders: Sequence[VoucherOrder],
    what: str,
    words: Callable[[About], str],
    *,
    priority: Priority = Priority.NORMAL,
) -> None:
    prefetch_related_objects(orders, "user", "voucher__shop")
    outbox.post_many(_letter(order, what, words, priority) for order in orders)


def _letter(order: VoucherOrder, what: str, words: Callable[[About], str], priority: Priority) -> Letter:
    about = {
        "order": str(order.pk),
        "title": order.voucher.title,
        "shop": order.voucher.shop.name,
        "price": money.shown(order.price, order.currency),
    }
    with translation.override(order.user.reads):
        text = words(about)
    key = f"order:{order.pk}:{what}"
    return Letter(channel=Channel.SMS, to=order.user.phone, text=text, key=key, priority=priority)
