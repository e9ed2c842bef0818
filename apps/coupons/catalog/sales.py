"""Creates and edits flash sales; an edit moves the stock in SQL and in Redis by the same difference."""

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


class AdjustResult(IntEnum):
    """The answers of adjust_sale.lua."""

    NOT_LOADED = 0
    DONE = 1
    TOO_FEW = 2


ADJUST_SALE = scripts.Script(
    "adjust_sale", package="apps.coupons.catalog", reply=lambda raw: AdjustResult(int(raw))
)


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

    Stock is taken from Redis just before SQL commits, so that no claim gets what SQL will not have; stock is
    added to Redis after the commit. A crash between the two leaves too little on sale until the next
    reconcile. Raises client.UNAVAILABLE when stock can't be taken because Redis is away.
    """
    _check_terms(terms)
    with transaction.atomic():
        sale = FlashSale.objects.select_for_update().get(pk=voucher_id)
        _check_change(sale, terms)
        more = terms.units - sale.stock_total
        _apply_terms(sale, terms, more)
        sale.save()
        sale.voucher.save(update_fields=["per_person"])
        findable_sales.announce_change(sale.voucher)
        if more < 0:
            _take_from_redis(sale, more)
        transaction.on_commit(lambda: _give_to_redis(sale, more))
        transaction.on_commit(lambda: reminder_delivery.schedule(sale))
    return sale


def withdraw(voucher: Voucher) -> None:
    """Stop offering a voucher, now and at any time planned: its sale's gate closes at commit; orders stay."""
    _set_offered(voucher, offered=False)


def offer_again(voucher: Voucher) -> None:
    """Offer a withdrawn voucher again."""
    _set_offered(voucher, offered=True)


def _set_offered(voucher: Voucher, *, offered: bool) -> None:
    with transaction.atomic():
        Voucher.objects.filter(pk=voucher.pk).update(is_offered=offered, publish_at=None)
        voucher.is_offered, voucher.publish_at = offered, None
        findable_sales.announce_change(voucher)
        reload(voucher)


def reload(voucher: Voucher) -> None:
    """Open or close the gate of a voucher's sale at the commit, as it is offered now; nothing without one."""
    if FlashSale.objects.filter(pk=voucher.pk).exists():
        transaction.on_commit(lambda: loading.load_if_possible(voucher.pk))


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
        raise ValidationError({"begins_at": _("The sale has begun: its beginning can't be moved.")})
    if terms.ends_at != sale.ends_at and terms.ends_at <= now:
        raise ValidationError(
            {"ends_at": _("The end can't be moved into the past; withdraw the voucher instead.")}
        )
    # Redis looks for a person's coupons at as many places as one may have: none may have one beyond.
    if sale.begins_at <= now and terms.per_person < sale.voucher.per_person:
        raise ValidationError(
            {"per_person": _("The sale has begun: how many one person may have can only be raised.")}
        )
    valid_until = sale.voucher.valid_until
    if valid_until and terms.ends_at > max(valid_until, sale.ends_at):
        raise ValidationError({"ends_at": _("The sale must end before its coupon expires.")})
    if terms.units < sale.stock_total - sale.stock_left:
        raise ValidationError({"stock_total": _below_sold_message(sale)})


def _apply_terms(sale: FlashSale, terms: Terms, more: int) -> None:
    sale.stock_total, sale.stock_left = terms.units, sale.stock_left + more
    sale.begins_at, sale.ends_at = terms.begins_at, terms.ends_at
    sale.voucher.per_person = terms.per_person
    sale.revision += 1


def _take_from_redis(sale: FlashSale, more: int) -> None:
    if _adjust_in_redis(sale, more) is AdjustResult.TOO_FEW:
        raise ValidationError({"stock_total": _below_sold_message(sale)})


def _give_to_redis(sale: FlashSale, more: int) -> None:
    try:
        moved = _adjust_in_redis(sale, more)
    except client.UNAVAILABLE:
        moved = AdjustResult.NOT_LOADED
    if moved is AdjustResult.NOT_LOADED:
        loading.load_if_possible(sale.pk)


def _adjust_in_redis(sale: FlashSale, more: int) -> AdjustResult:
    sale_keys = keys.for_sale(sale.pk)
    window = [loading.unix_ms(sale.begins_at), loading.unix_ms(sale.ends_at)]
    args = [sale.revision, more, *window, loading.keys_expire_at(sale), sale.voucher.per_person]
    return ADJUST_SALE(client.get(), keys=sale_keys[:4], args=args)


def _below_sold_message(sale: FlashSale) -> str:
    return _("You can't go below the number already sold.")
