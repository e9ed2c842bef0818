"""Creates and edits flash sales.

What narrows an offer (fewer units, a later begin, an earlier end, fewer for a person, withdrawn, its shop
hidden) is taken from Redis before SQL commits it: no person gets what SQL will not have. What widens it
follows the commit. A process that dies in between leaves Redis too narrow, and a mark:
loading.load_unusable loads SQL's truth.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.coupons import keys
from apps.coupons import terms as sale_terms
from apps.coupons.catalog import findable_sales, reminders
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.terms import Rules, Terms, keys_expire_at
from apps.redis_kit import client, scripts

#: Orders that a voucher's later date still reaches.
OPEN_STATUSES = (Status.UNPAID, Status.PAID)

log = logging.getLogger(__name__)
ADJUST_SALE = scripts.Script(
    "adjust_sale", package="apps.coupons.catalog", reply=bool, parts=(loading.PUT_TERMS,)
)


def check_validity(valid_until: datetime | None, *, sale_ends_at: datetime | None) -> None:
    """Raise ValidationError for a date that has passed, or one before the end of the voucher's sale."""
    if valid_until is None:
        return
    if valid_until <= timezone.now():
        raise ValidationError({"valid_until": _("That time has passed.")})
    if sale_ends_at and valid_until < sale_ends_at:
        raise ValidationError({"valid_until": _("A coupon can't expire before its sale ends.")})


def extend_open_orders(voucher: Voucher) -> int:
    """Give a voucher's later date, or none, to orders that are not used yet; returns their number.

    A bought voucher is never valid for less time than was promised.
    """
    orders = VoucherOrder.objects.filter(voucher=voucher, status__in=OPEN_STATUSES, valid_until__isnull=False)
    if voucher.valid_until:
        orders = orders.filter(valid_until__lt=voucher.valid_until)
    return orders.update(valid_until=voucher.valid_until)


class NarrowResult(IntEnum):
    """The answers of narrow_sale.lua."""

    NOT_LOADED = 0
    DONE = 1
    TOO_FEW = 2
    ENDED = 3
    BEGUN = 4


NARROW_SALE = scripts.Script(
    "narrow_sale", package="apps.coupons.catalog", reply=lambda raw: NarrowResult(int(raw))
)
_NARROW_ERRORS = {
    NarrowResult.TOO_FEW: sale_terms.below_sold_error,
    NarrowResult.ENDED: sale_terms.ended_error,
    NarrowResult.BEGUN: sale_terms.begun_error,
}


def create(voucher: Voucher, terms: Terms) -> FlashSale:
    """Put a voucher on flash sale and load it into Redis at commit; ValidationError with a field's reason."""
    terms.check()
    if terms.ends_at <= timezone.now():
        raise ValidationError({"ends_at": _("The sale would be over already.")})
    check_validity(voucher.valid_until, sale_ends_at=terms.ends_at)
    sale = FlashSale(voucher=voucher)
    terms.write_to(sale)
    with transaction.atomic():
        voucher.save()
        sale.voucher = voucher
        sale.save(force_insert=True)
        findable_sales.announce_change(voucher)
        transaction.on_commit(lambda: loading.load_if_possible(sale.pk))
        transaction.on_commit(lambda: reminders.schedule(sale))
    return sale


def change(voucher_id: int, terms: Terms) -> FlashSale:
    """Replace all terms, also while the sale runs; ValidationError with a field's reason.

    Raises client.UNAVAILABLE, and changes nothing, when the terms narrow and Redis is away.
    """
    with transaction.atomic():
        sale = FlashSale.objects.select_for_update().get(pk=voucher_id)
        terms.check_change(sale)
        before = Terms.from_sale(sale)
        more, narrows = terms.units - before.units, terms.is_narrower_than(before)
        terms.write_to(sale)
        sale.revision += 1
        sale.save()
        sale.voucher.save(update_fields=["per_person"])
        findable_sales.announce_change(sale.voucher)
        if narrows:
            narrowed = before.to_redis().narrow_to(terms.to_redis())
            _narrow_in_redis(sale, narrowed, less=max(0, -more))
        transaction.on_commit(lambda: _give_to_redis(sale, terms, max(0, more), is_narrowed=narrows))
        transaction.on_commit(lambda: reminders.schedule(sale))
    return sale


def withdraw(voucher: Voucher) -> None:
    """Stop offering a voucher, now and at any time planned: its sale's gate closes; orders stay.

    Raises client.UNAVAILABLE, and changes nothing, when it has a sale and Redis is away.
    """
    _set_offered(voucher, offered=False)


def offer_again(voucher: Voucher) -> None:
    """Offer a withdrawn voucher again."""
    _set_offered(voucher, offered=True)


def _set_offered(voucher: Voucher, *, offered: bool) -> None:
    with transaction.atomic():
        lock(voucher.pk)
        Voucher.objects.filter(pk=voucher.pk).update(is_offered=offered, publish_at=None)
        voucher.is_offered, voucher.publish_at = offered, None
        findable_sales.announce_change(voucher)
        apply_offer(voucher)


def lock(voucher_id: int) -> bool:
    """Hold off loads and edits of a voucher's sale until the transaction's end; False when it has none."""
    return FlashSale.objects.select_for_update().filter(pk=voucher_id).first() is not None


def apply_offer(voucher: Voucher) -> None:
    """Close the gate of a voucher's sale now, or open it at the commit, as it is offered now.

    The caller's transaction has locked the sale and saves the voucher. A gate that closed for nothing opens
    within seconds (loading.load_unusable). Raises client.UNAVAILABLE when it can't be closed.
    """
    if not FlashSale.objects.filter(pk=voucher.pk).exists():
        return
    if not voucher.is_offered:
        loading.close_gate(voucher.pk, state="absent")
    transaction.on_commit(lambda: loading.load_if_possible(voucher.pk))


def follow_shops(_kind: str, shop_ids: Sequence[int]) -> None:
    """Stop the sales of those shops that are hidden, now, and go on with those of the others at the commit.

    In the transaction that has written the shops. Raises client.UNAVAILABLE when a sale can't be stopped.
    The sales aren't locked: who edits one locks it before its shop. A load that is under way meanwhile may
    open a gate again, for the milliseconds until the commit.
    """
    lasting = FlashSale.objects.filter(voucher__shop__in=shop_ids, ends_at__gt=timezone.now())
    sales = list(lasting.filter(voucher__is_offered=True).select_related("voucher__shop"))
    for sale in sales:
        if not sale.is_offered:
            loading.close_gate(sale.pk, state="absent")
    if sales:
        transaction.on_commit(lambda: _load_changed([sale.pk for sale in sales]))


def _load_changed(voucher_ids: Sequence[int]) -> None:
    try:
        loading.load_unusable(voucher_ids)
    except client.UNAVAILABLE:
        log.warning("%d sales follow their shops when Redis is back", len(voucher_ids))


def _narrow_in_redis(sale: FlashSale, rules: Rules, *, less: int) -> None:
    """Take from Redis what the edit, not committed yet, takes away; ValidationError as `change` raises it."""
    sale_keys = keys.for_sale(sale.pk)
    args = [sale.revision - 1, less, *rules.pairs]
    result = NARROW_SALE(client.get(), keys=[sale_keys.sale, sale_keys.stock], args=args)
    if result is NarrowResult.NOT_LOADED:
        # Redis may sell by older terms still: nothing more of it until the load that follows the commit.
        loading.close_gate(sale.pk)
    elif result is not NarrowResult.DONE:
        raise _NARROW_ERRORS[result]()


def _give_to_redis(sale: FlashSale, terms: Terms, more: int, *, is_narrowed: bool) -> None:
    args = [sale.revision, more, int(is_narrowed), keys_expire_at(sale.ends_at), *terms.to_redis().pairs]
    try:
        is_given = ADJUST_SALE(client.get(), keys=keys.for_sale(sale.pk).of_sale_alone, args=args)
    except client.UNAVAILABLE:
        is_given = False
    if not is_given:
        loading.load_if_possible(sale.pk)
