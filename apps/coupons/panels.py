"""What coupons show on the shops' pages; importing this registers it there."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import auth
from apps.coupons import offers, reminders, shop_rows
from apps.shops import panels
from apps.shops.models import Shop


class Ticket(NamedTuple):
    """What a shop's page shows of an offer, as plain values: it is drawn once for everybody."""

    voucher: int
    title: str
    subtitle: str
    value: int
    price: int
    currency: str
    phase: str | None
    left: int
    begins: datetime | None


def flash_sales(request: HttpRequest, _subject: None) -> str:
    """The strip of sales on the home page."""
    found = reminders.marked(offers.strip(), auth.viewer_id(request))
    return render_to_string("coupons/_strip.html", {"offers": found}, request)


def vouchers(request: HttpRequest, shop: Shop) -> str:
    """What one can buy of a shop, flash sales first; nothing when it offers nothing."""
    found = offers.with_live(shop_rows.offered(shop.pk, offers.MOST))
    listed = sorted(found, key=lambda one: one.phase is None)
    return drawn(listed)


def drawn(listed: Iterable[offers.Offer]) -> str:
    """The tickets in that order; "" for none."""
    tickets = tuple(_ticket(one) for one in listed)
    return render_to_string("coupons/_vouchers.html", {"tickets": tickets}) if tickets else ""


def _ticket(offer: offers.Offer) -> Ticket:
    sold, sale = offer.voucher, offer.sale
    return Ticket(
        voucher=sold.pk,
        title=sold.title,
        subtitle=sold.subtitle,
        value=sold.value,
        price=sold.price,
        currency=sold.currency,
        phase=offer.phase,
        left=offer.left,
        begins=sale.begins_at if sale else None,
    )


panels.HOME.register(flash_sales, order=10)
panels.SHOP.register(vouchers, order=10)
