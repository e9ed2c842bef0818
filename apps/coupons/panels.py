"""Panels of vouchers and sales for the home page, shop pages and one's own page, registered on import."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import panels as account_panels
from apps.accounts.models import User
from apps.coupons.catalog import offers, shop_vouchers
from apps.coupons.orders import redeeming
from apps.shops import panels
from apps.shops.members import own_shops
from apps.shops.models import Shop


class VoucherCard(NamedTuple):
    """An offer on a shop's page, as plain values: rendered once for everybody."""

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
    return render_to_string("coupons/_home_page_sales.html", {"offers": offers.list_for_home_page()}, request)


def vouchers(request: HttpRequest, shop: Shop) -> str:
    """The shop's vouchers, flash sales first; empty when it offers none."""
    found = offers.with_live_stock(shop_vouchers.fetch_offered(shop.pk, offers.MAX_CARDS))
    listed = sorted(found, key=lambda one: one.phase is None)
    return render_vouchers(listed)


def render_vouchers(listed: Iterable[offers.Offer]) -> str:
    """The cards in that order; "" for none."""
    tickets = tuple(_build_card(one) for one in listed)
    return render_to_string("coupons/_shop_vouchers.html", {"tickets": tickets}) if tickets else ""


def _build_card(offer: offers.Offer) -> VoucherCard:
    sold, sale = offer.voucher, offer.sale
    return VoucherCard(
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


def work_card(request: HttpRequest, user: User) -> str:
    """On one's own page: redeeming, the people of one's shops, the admin; empty for guests."""
    memberships = own_shops.list_memberships(user.pk)
    if not (memberships or user.is_staff):
        return ""
    redeems = redeeming.may_redeem(user)
    about = {"memberships": memberships, "redeems": redeems, "enters_admin": user.is_staff}
    return render_to_string("coupons/_counter_card.html", about, request)


account_panels.ME.register(work_card, order=5)
panels.HOME.register(flash_sales, order=10)
panels.SHOP.register(vouchers, order=10)
