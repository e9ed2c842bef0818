"""The admin of shops and shop types."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display

from apps.shops import changes
from apps.shops.models import Shop, ShopQuerySet, ShopType
from apps.shops.money_field import MINOR_UNITS, YuanField


class ShopForm(forms.ModelForm):
    price = YuanField(label=_("Price per person"))

    class Meta:
        model = Shop
        exclude = ("currency",)


@admin.register(Shop)
class ShopAdmin(ModelAdmin):
    """Shops for managers; every write goes through shops.changes."""

    form = ShopForm
    list_display = ("heading", "type", "place", "stars", "per_person", "listed")
    list_filter = (("type", RelatedDropdownFilter), "is_listed", "city")
    list_select_related = ("type",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("name", "area", "address", "phone")
    search_help_text = _("Name, area, address or phone")
    ordering = ("-id",)
    autocomplete_fields = ("type",)
    warn_unsaved_form = True
    actions = ("list_them", "unlist_them")
    fieldsets = (
        (None, {"fields": ("name", "type", "about", "picture", "is_listed")}),
        (_("Place"), {"fields": (("city", "area"), "address", ("lat", "lng"))}),
        (_("For visitors"), {"fields": (("hours", "phone"), "price")}),
        (
            _("Numbers"),
            {
                "fields": (("rating", "reviews"), ("imported_rating", "imported_reviews"), "popularity"),
                "classes": ("tab",),
            },
        ),
    )
    #: They follow from the import and from people's notes: shops.ratings.
    readonly_fields = ("rating", "reviews", "imported_rating", "imported_reviews")

    def save_model(self, _request: HttpRequest, shop: Shop, _form: Any, _change: bool) -> None:
        changes.save(shop)

    def delete_model(self, _request: HttpRequest, shop: Shop) -> None:
        changes.delete(shop)

    def delete_queryset(self, _request: HttpRequest, shops: ShopQuerySet) -> None:
        changes.delete_many(shops)

    @display(description=_("shop"), header=True, ordering="name")
    def heading(self, shop: Shop) -> list[str]:
        return [shop.name, shop.address]

    @display(description=_("area"), ordering="area")
    def place(self, shop: Shop) -> str:
        return f"{shop.city} · {shop.area}"

    @display(description=_("rating"), ordering="rating")
    def stars(self, shop: Shop) -> str:
        return f"{shop.rating / 10:.1f}"

    @display(description=_("per person"), ordering="price")
    def per_person(self, shop: Shop) -> str:
        return f"¥{shop.price / MINOR_UNITS:.0f}"

    @display(description=_("listed"), boolean=True, ordering="is_listed")
    def listed(self, shop: Shop) -> bool:
        return shop.is_listed

    @admin.action(description=_("Show on the site"), permissions=["change"])
    def list_them(self, request: HttpRequest, shops: ShopQuerySet) -> None:
        changed = changes.update(shops, is_listed=True)
        self.message_user(request, _("%d shops are on the site.") % changed)

    @admin.action(description=_("Hide from the site"), permissions=["change"])
    def unlist_them(self, request: HttpRequest, shops: ShopQuerySet) -> None:
        changed = changes.update(shops, is_listed=False)
        self.message_user(request, _("%d shops are hidden.") % changed)


@admin.register(ShopType)
class ShopTypeAdmin(ModelAdmin):
    list_display = ("name", "name_zh", "slug", "icon", "position", "number")
    search_fields = ("name", "name_zh", "slug")
    ordering = ("position",)
    prepopulated_fields: ClassVar = {"slug": ("name",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[ShopType]:
        types: Any = super().get_queryset(request)
        return types.annotate(number=Count("shops"))

    def save_model(self, _request: HttpRequest, shop_type: ShopType, _form: Any, _change: bool) -> None:
        changes.save_type(shop_type)

    @display(description=_("shops"), ordering="number")
    def number(self, shop_type: Any) -> int:
        return int(shop_type.number)
