"""What coupons show on the shops' pages; importing this registers it there."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import auth
from apps.coupons import offers, reminders, shop_rows
from apps.shops import panels
from apps.shops.models import Shop


def flash_sales(request: HttpRequest, _subject: None) -> str:
    """The strip of sales on the home page."""
    found = reminders.marked(offers.strip(), auth.viewer_id(request))
    return render_to_string("coupons/_strip.html", {"offers": found}, request)


def vouchers(request: HttpRequest, shop: Shop) -> str:
    """What one can buy of a shop, flash sales first; nothing when it offers nothing."""
    found = offers.with_live(shop_rows.offered(shop.pk, offers.MOST))
    listed = sorted(found, key=lambda one: one.phase is None)
    return render_to_string("coupons/_vouchers.html", {"offers": listed}, request) if listed else ""


panels.HOME.register(flash_sales, order=10)
panels.SHOP.register(vouchers, order=10)
