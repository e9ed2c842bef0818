"""What happens to orders and reminders when an account is deleted: orders stay, without the person."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.accounts.deletion.rules import BATCH_SIZE, Blocker, Erasure, delete_batch, export_rows
from apps.accounts.models import User
from apps.coupons.buyer import gifts
from apps.coupons.models import Gift, Redemption, Reminder, Status, VoucherOrder
from apps.coupons.orders import lifecycle


def cancel_unpaid(user_id: int, _at: datetime) -> int:
    """Cancel a batch of orders that wait for payment: the person gave them up, and their stock is others'."""
    cancelled = 0
    for order in VoucherOrder.objects.filter(user=user_id, status=Status.UNPAID)[:BATCH_SIZE]:
        with suppress(lifecycle.TransitionNotAllowed):
            lifecycle.cancel(order)
            cancelled += 1
    return cancelled


def purge(user_id: int) -> int:
    """Delete the reminders of sales, and the words of gifts; coupons that the person redeemed at work stay
    redeemed, without a name.

    Unused coupons that were given to the person go back to who paid for them.
    """
    received = list(VoucherOrder.objects.filter(holder=user_id, status=Status.PAID)[:BATCH_SIZE])
    for order in received:
        gifts.give_back(order)
    redeemed = list(Redemption.objects.filter(cashier=user_id).values_list("pk", flat=True)[:BATCH_SIZE])
    forgotten = Redemption.objects.filter(pk__in=redeemed).update(cashier=None)
    written = list(
        Gift.objects.filter(order__user=user_id).exclude(words="").values_list("pk", flat=True)[:BATCH_SIZE]
    )
    forgotten += Gift.objects.filter(pk__in=written).update(words="")
    return len(received) + forgotten + delete_batch(Reminder.objects.filter(user=user_id))


def find_blockers(user: User) -> Iterator[Blocker]:
    """Orders to pay, which can be cancelled, and coupons to use, which can be used, refunded or given up."""
    url, mine = reverse("coupons:orders"), VoucherOrder.objects.filter(user=user)
    if unpaid := mine.filter(status=Status.UNPAID).count():
        text = ngettext(
            "You have %d order to pay: pay or cancel it.",
            "You have %d orders to pay: pay or cancel them.",
            unpaid,
        )
        yield Blocker(text % unpaid, url, loss=_("Orders to pay are cancelled."))
    if paid := mine.filter(status=Status.PAID, holder=None).count():
        text = ngettext(
            "You have %d paid coupon that you haven't used: use it or ask for your money back.",
            "You have %d paid coupons that you haven't used: use them or ask for your money back.",
            paid,
        )
        yield Blocker(
            text % paid, url, loss=_("Paid coupons that you haven't used are lost, and the money too.")
        )
    if received := VoucherOrder.objects.filter(holder=user, status=Status.PAID).count():
        text = ngettext(
            "You have %d coupon that was given to you and that you haven't used.",
            "You have %d coupons that were given to you and that you haven't used.",
            received,
        )
        loss = _("Unused coupons that were given to you go back to who gave them.")
        yield Blocker(text % received, url, loss=loss)


def export(user_id: int) -> dict[str, Any]:
    """Every order with its times and money; ids as texts, since they pass what JSON's numbers hold."""
    times = ("accepted_at", "paid_at", "used_at", "cancelled_at", "refunded_at", "valid_until")
    mine = VoucherOrder.objects.filter(user=user_id)
    rows = export_rows(mine, "id", "voucher_id", "status", "price", "currency", *times)
    received = export_rows(
        VoucherOrder.objects.filter(holder=user_id), "id", "voucher_id", "status", "used_at", "valid_until"
    )
    words = export_rows(Gift.objects.filter(order__user=user_id).exclude(words=""), "order_id", "words")
    reminders = export_rows(Reminder.objects.filter(user=user_id), "sale_id", "created_at")
    return {
        "orders": [row | {"id": str(row["id"])} for row in rows],
        "gifts": [row | {"id": str(row["id"])} for row in received],
        "gift_words": [row | {"order_id": str(row["order_id"])} for row in words],
        "reminders": reminders,
    }


_BOOKS = gettext_lazy(
    "Your orders and payments, without your name and phone, as long as the law demands of our books."
)
ERASURE = Erasure(
    purge=purge,
    goes=(gettext_lazy("Reminders of sales that you asked for."),),
    kept={f"{VoucherOrder._meta.label}.{name}": _BOOKS for name in ("user", "holder")},
    hide=cancel_unpaid,
    blockers=find_blockers,
    export=export,
)
