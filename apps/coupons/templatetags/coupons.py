"""What pages show of vouchers and sales: `{% load coupons %}`."""

from typing import Any

from django import template
from django.template import RequestContext

from apps.accounts import auth
from apps.accounts.models import User
from apps.coupons.buyer import order_display, order_views
from apps.coupons.catalog import offers
from apps.coupons.counter import redeeming
from apps.coupons.models import VoucherOrder
from apps.coupons.orders import redeem_codes
from apps.shops.members import own_shops
from apps.shops.models import City, Shop
from apps.web.page_parts import page_part

register = template.Library()
#: Coupons that a browser keeps for when the network is away, each with its QR code of 4 kB.
MAX_OFFLINE_COUPONS = 20


@page_part(register, "coupons/_home_page_sales.html")
def flash_sales(city: City) -> dict[str, Any]:
    """`{% flash_sales city %}`: the strip of a city's sales on its home page."""
    return {"offers": offers.list_for_home_page(city), "city": city}


@page_part(register, "coupons/_shop_vouchers.html")
def vouchers(shop: Shop) -> dict[str, Any]:
    """`{% vouchers shop %}`: what a shop offers, flash sales first."""
    cheapest = offers.shop_vouchers_query(shop.pk).order_by("price", "pk")[: offers.MAX_CARDS]
    return {"offers": sorted(offers.with_live_stock(cheapest), key=lambda one: one.phase is None)}


@page_part(register, "coupons/_counter_card.html")
def work_card(user: User) -> dict[str, Any]:
    """`{% work_card user %}`: on a person's page: redeeming, the staff of their shops, and the admin."""
    memberships = own_shops.list_memberships(user.pk)
    if not (memberships or user.is_staff):
        return {}
    redeems = redeeming.may_redeem(user)
    return {"memberships": memberships, "redeems": redeems, "enters_admin": user.is_staff}


@page_part(register, "coupons/_order_counts.html")
def order_counts(user: User) -> dict[str, Any]:
    """`{% order_counts user %}`: how many orders a person has to pay and to use, and how many refunds."""
    wanted = {"unpaid", "paid", "refunded"}
    return {"tabs": [tab for tab in order_views.count_by_tab(user) if tab.name in wanted]}


# Not a page part: without it the page must fail, since browsers keep what they get.
@register.inclusion_tag("coupons/_offline_coupons.html", takes_context=True)
def offline_coupons(context: RequestContext) -> dict[str, Any]:
    """`{% offline_coupons %}`: the reader's newest coupons that may be used, with their codes."""
    rows = VoucherOrder.objects.redeemable_by(auth.require_user(context.request).pk)
    newest = rows.select_related("voucher__shop").order_by("-pk")[:MAX_OFFLINE_COUPONS]
    coupons = [
        {
            "order": order,
            "qr": order_display.render_code(context.request, order.redeem_code),
            "spelled": redeem_codes.spell(order.redeem_code),
        }
        for order in newest
    ]
    return {"coupons": coupons}
