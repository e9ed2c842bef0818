"""The admin of flash sales: the list with live stock, and links to the pages that create and edit a sale."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.adminkit.change_forms import Badges
from apps.coupons.admin import new_sale, sale_page
from apps.coupons.admin.shop_choices import ShopAutocompleteView
from apps.coupons.catalog import offers
from apps.coupons.models import FlashSale
from apps.redis_kit import client
from apps.shops.members.own_rows import ShopRowsAdmin
from apps.web import short_dates
from apps.web.in_language import columns

PHASE_LABELS = {
    "upcoming": _("upcoming"),
    "running": _("running"),
    "over": _("over"),
    "off": _("off the site"),
}


@admin.register(FlashSale)
class FlashSaleAdmin(ShopRowsAdmin):
    """Flash sales: the list with live numbers; making and editing have pages of their own."""

    shop_path = "voucher__shop"

    list_display = ("heading", "phase", "left", "gate", "begins", "ends")
    list_select_related = ("voucher__shop",)
    list_per_page = 30
    search_fields = columns("voucher__title", "voucher__shop__name")
    search_help_text = _("Title or shop")
    ordering = ("-begins_at",)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        choices = ShopAutocompleteView.as_view(admin_site=self.admin_site)
        own = [
            path("new-flash-sale/", wrap(new_sale.view), name="coupons_new_flash_sale"),
            path("shop-choices/", wrap(choices), name="coupons_shop_choices"),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own + urls

    def add_view(self, _request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        return redirect("admin:coupons_new_flash_sale")

    def change_view(self, request: HttpRequest, object_id: str, *_: Any, **__: Any) -> HttpResponse:
        sale = self.get_object(request, unquote(object_id))
        if sale is None:
            raise Http404
        return sale_page.view(request, sale)

    def has_delete_permission(self, _request: HttpRequest, _sale: FlashSale | None = None) -> bool:
        """Orders refer to it; it is taken off the site instead."""
        return False

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The page's sales with their live state, in one round trip for all of them."""
        found = super().get_changelist_instance(request)
        found.result_list = attach_live_state(found.result_list)
        return found

    @display(description=_("sale"), header=True)
    def heading(self, sale: FlashSale) -> list[str]:
        return [sale.voucher.title, sale.voucher.shop.name]

    @display(
        description=_("phase"),
        label=Badges(
            {
                PHASE_LABELS["upcoming"]: "info",
                PHASE_LABELS["running"]: "success",
                PHASE_LABELS["over"]: "default",
                PHASE_LABELS["off"]: "warning",
            }
        ),
    )
    def phase(self, sale: FlashSale) -> Any:
        return PHASE_LABELS[offers.phase_for_staff(sale)]

    @display(description=_("units left"), ordering="stock_left")
    def left(self, sale: Any) -> SafeString:
        return render_to_string("admin/coupons/_stock.html", {"sale": sale, "live": sale.live})

    @display(description=_("begins"), ordering="begins_at")
    def begins(self, sale: FlashSale) -> str:
        return short_dates.short_moment(sale.begins_at)

    @display(description=_("ends"), ordering="ends_at")
    def ends(self, sale: FlashSale) -> str:
        return short_dates.short_moment(sale.ends_at)

    @display(description=_("for buyers"))
    def gate(self, sale: Any) -> SafeString:
        about = {"sale": sale, "live": sale.live, "phase": offers.phase_for_staff(sale)}
        return render_to_string("admin/coupons/_gate.html", about)


def attach_live_state(sales: QuerySet[FlashSale]) -> list[Any]:
    """The sales, each with `live`: None while Redis is away."""
    found: list[Any] = list(sales)
    try:
        states = offers.read_live_states(found)
    except client.UNAVAILABLE:
        states = {}
    for sale in found:
        sale.live = states.get(sale.pk)
    return found
