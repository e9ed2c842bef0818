"""Creates and edits flash sales.

What narrows an offer (fewer units, a later begin, an earlier end, fewer for a person, withdrawn, its shop
hidden) is taken from Redis before SQL commits it: nobody gets what SQL will not have. What widens it follows
the commit. A process that dies in between leaves Redis too narrow, and a mark: loading.load_unusable loads
SQL's truth.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.coupons import keys
from apps.coupons.catalog import findable_sales, reminder_delivery, validity
from apps.coupons.claims import loading
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.redis_kit import client, scripts

MAX_STOCK = 1_000_000

log = logging.getLogger(__name__)


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
ADJUST_SALE = scripts.Script("adjust_sale", package="apps.coupons.catalog", reply=bool)


@dataclass(frozen=True)
class Terms:
    """The stock of a sale (`units`), its window from begins_at (inclusive) to ends_at (exclusive), and how
    many one person may have.
    """

    units: int
    begins_at: datetime
    ends_at: datetime
    per_person: int = 1


def create(voucher: Voucher, terms: Terms) -> FlashSale:
    """Put a voucher on flash sale and load it into Redis at commit; ValidationError with a field's reason."""
    _check_terms(terms)
    if terms.ends_at <= timezone.now():
        raise ValidationError({"ends_at": _("The sale would be over already.")})
    validity.check(voucher.valid_until, sale_ends_at=terms.ends_at)
    voucher.per_person = terms.per_person
    with transaction.atomic():
        voucher.save()
        sale = FlashSale.objects.create(
            voucher=voucher,
            stock_total=terms.units,
            stock_left=terms.units,
            begins_at=terms.begins_at,
            ends_at=terms.ends_at,
        )
        findable_sales.announce_change(voucher)
        transaction.on_commit(lambda: loading.load_if_possible(sale.pk))
        transaction.on_commit(lambda: reminder_delivery.schedule(sale))
    return sale


def change(voucher_id: int, terms: Terms) -> FlashSale:
    """Edit stock, window and the limit of a person, also while the sale runs; ValidationError with a field's
    reason.

    Raises client.UNAVAILABLE, and changes nothing, when the terms narrow and Redis is away.
    """
    _check_terms(terms)
    with transaction.atomic():
        sale = FlashSale.objects.select_for_update().get(pk=voucher_id)
        _check_change(sale, terms)
        more, narrows = terms.units - sale.stock_total, _is_narrower(sale, terms)
        _apply_terms(sale, terms, more)
        sale.save()
        sale.voucher.save(update_fields=["per_person"])
        findable_sales.announce_change(sale.voucher)
        if narrows:
            _narrow_in_redis(sale, less=max(0, -more))
        transaction.on_commit(lambda: _give_to_redis(sale, max(0, more), is_narrowed=narrows))
        transaction.on_commit(lambda: reminder_delivery.schedule(sale))
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


def _check_terms(terms: Terms) -> None:
    if not 1 <= terms.units <= MAX_STOCK:
        raise ValidationError({"stock_total": _("Between 1 and %(most)d units.") % {"most": MAX_STOCK}})
    if not 1 <= terms.per_person <= MAX_PER_PERSON:
        raise ValidationError({"per_person": _("Between 1 and %(most)d.") % {"most": MAX_PER_PERSON}})
    if terms.ends_at <= terms.begins_at:
        raise ValidationError({"ends_at": _("The sale must end after it begins.")})


def _check_change(sale: FlashSale, terms: Terms) -> None:
    now = timezone.now()
    # Accepted orders must stay inside the window, so what is past stays as it was.
    if sale.begins_at <= now and terms.begins_at != sale.begins_at:
        raise _begun_error()
    if terms.ends_at != sale.ends_at and terms.ends_at <= now:
        raise _ended_error()
    # Redis looks for a person's coupons at as many places as one may have: none may have one beyond.
    if sale.begins_at <= now and terms.per_person < sale.voucher.per_person:
        raise ValidationError(
            {"per_person": _("The sale has begun: how many one person may have can only be raised.")}
        )
    valid_until = sale.voucher.valid_until
    if valid_until and terms.ends_at > max(valid_until, sale.ends_at):
        raise ValidationError({"ends_at": _("The sale must end before its coupon expires.")})
    if terms.units < sale.stock_total - sale.stock_left:
        raise _below_sold_error()


def _apply_terms(sale: FlashSale, terms: Terms, more: int) -> None:
    sale.stock_total, sale.stock_left = terms.units, sale.stock_left + more
    sale.begins_at, sale.ends_at = terms.begins_at, terms.ends_at
    sale.voucher.per_person = terms.per_person
    sale.revision += 1


def _is_narrower(sale: FlashSale, terms: Terms) -> bool:
    return (
        terms.units < sale.stock_total
        or terms.begins_at > sale.begins_at
        or terms.ends_at < sale.ends_at
        or terms.per_person < sale.voucher.per_person
    )


def _narrow_in_redis(sale: FlashSale, *, less: int) -> None:
    """Take from Redis what the edit, not committed yet, takes away; ValidationError as `change` raises it."""
    window = [loading.unix_ms(sale.begins_at), loading.unix_ms(sale.ends_at)]
    args = [sale.revision - 1, less, *window, sale.voucher.per_person]
    result = NARROW_SALE(client.get(), keys=keys.for_sale(sale.pk)[:2], args=args)
    if result is NarrowResult.NOT_LOADED:
        # Redis may sell by older terms still: nothing more of it until the load that follows the commit.
        loading.close_gate(sale.pk)
    elif result is not NarrowResult.DONE:
        errors = {NarrowResult.ENDED: _ended_error, NarrowResult.BEGUN: _begun_error}
        raise errors.get(result, _below_sold_error)()


def _give_to_redis(sale: FlashSale, more: int, *, is_narrowed: bool) -> None:
    window = [loading.unix_ms(sale.begins_at), loading.unix_ms(sale.ends_at)]
    limits = [loading.keys_expire_at(sale), sale.voucher.per_person, int(is_narrowed)]
    args = [sale.revision, more, *window, *limits]
    try:
        is_given = ADJUST_SALE(client.get(), keys=keys.for_sale(sale.pk)[:4], args=args)
    except client.UNAVAILABLE:
        is_given = False
    if not is_given:
        loading.load_if_possible(sale.pk)


def _begun_error() -> ValidationError:
    return ValidationError({"begins_at": _("The sale has begun: its beginning can't be moved.")})


def _ended_error() -> ValidationError:
    return ValidationError(
        {"ends_at": _("The end can't be moved into the past; withdraw the voucher instead.")}
    )


def _below_sold_error() -> ValidationError:
    return ValidationError({"stock_total": _("You can't go below the number already sold.")})
