"""From the stream to SQL: a batch of accepted orders becomes rows in one transaction, or none of it does.

SQL has the last word: one active order per person and voucher is a unique constraint, and a unit is
taken only where one is left. A batch that is refused is split by the consumer loop until the culprit
stands alone; every effect is safe to repeat, because an entry may be delivered again after its commit.
"""

import re
import secrets
from collections import Counter
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F

from apps.coupons import closing
from apps.coupons.entries import Accepted
from apps.coupons.models import FlashSale, VoucherOrder

#: 96 random bits in 16 characters that a till can type.
REDEEM_CODE_BYTES = 12
REDEEM_CODE = re.compile(r"[A-Za-z0-9_-]{1,24}")


class Refused(Exception):
    """SQL doesn't take an accepted order; the message is the reason in the dead letter."""


def record(accepted: Iterable[Accepted]) -> int:
    """Make the rows that aren't there yet and take their units; returns how many are new.

    Raises Refused or django.db.IntegrityError when one of them can't be, and then writes nothing.
    """
    wanted = {one.order_id: one for one in accepted}
    with transaction.atomic():
        fresh = _without_recorded(wanted)
        sales = FlashSale.objects.select_related("voucher").in_bulk(sorted({one.voucher_id for one in fresh}))
        rows = VoucherOrder.objects.bulk_create([row(one, sales.get(one.voucher_id)) for one in fresh])
        _take_units(Counter(one.voucher_id for one in fresh))
        closing.after_commit(made.pay_deadline for made in rows)
    return len(fresh)


def new_redeem_code() -> str:
    """What the buyer shows at the shop once the order is paid."""
    return secrets.token_urlsafe(REDEEM_CODE_BYTES)


def _without_recorded(wanted: dict[int, Accepted]) -> list[Accepted]:
    rows = VoucherOrder.objects.filter(pk__in=list(wanted)).values_list("id", "user_id", "voucher_id")
    for number, user, voucher in rows:
        one = wanted.pop(number)
        if (one.user_id, one.voucher_id) != (user, voucher):
            raise Refused(f"order {number} belongs to somebody else")
    # One order for every consumer: two that hold the same rows can't wait for each other in a circle.
    return [wanted[number] for number in sorted(wanted)]


def row(one: Accepted, sale: FlashSale | None) -> VoucherOrder:
    """The unpaid row of an accepted order, not saved yet; raises Refused outside its sale's window."""
    if sale is None:
        raise Refused(f"voucher {one.voucher_id} has no flash sale")
    if not sale.begins_at <= one.accepted_at < sale.ends_at:
        raise Refused(f"order {one.order_id} was accepted outside the sale's window")
    return VoucherOrder(
        id=one.order_id,
        token=one.token,
        user_id=one.user_id,
        voucher_id=one.voucher_id,
        price=sale.voucher.price,
        currency=sale.voucher.currency,
        epoch=one.epoch,
        accepted_at=one.accepted_at,
        pay_deadline=closing.deadline(),
        redeem_code=new_redeem_code(),
    )


def _take_units(taken: Counter[int]) -> None:
    for voucher_id, units in sorted(taken.items()):
        sale = FlashSale.objects.filter(pk=voucher_id, stock_left__gte=units)
        if not sale.update(stock_left=F("stock_left") - units):
            raise Refused(f"voucher {voucher_id} has fewer than {units} units left in SQL")
