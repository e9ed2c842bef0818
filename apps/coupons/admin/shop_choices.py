"""The admin's search field for a shop; each result includes the area, because names repeat in a city."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import QuerySet
from django.urls import reverse

from apps.coupons.models import Voucher
from apps.shops.models import Shop


def shop_label(shop: Shop) -> str:
    return f"{shop.name} ({shop.area}, {shop.city})"


class ShopAutocompleteView(AutocompleteJsonView):
    """The search box's answers; only for people who may see shops."""

    def get_queryset(self) -> QuerySet[Shop]:
        found: QuerySet[Shop] = super().get_queryset()
        return found.filter(is_listed=True)

    def serialize_result(self, obj: Any, to_field_name: str) -> dict[str, str]:
        return {"id": str(getattr(obj, to_field_name)), "text": shop_label(obj)}


class ShopSelect(AutocompleteSelect):
    def get_url(self) -> str:
        return reverse("admin:coupons_shop_choices")


class ShopField(forms.ModelChoiceField):
    """One listed shop, found by a part of its name, area or address; `select` is the class of its widget."""

    select: type[ShopSelect] = ShopSelect

    def __init__(self, **options: Any) -> None:
        widget = self.select(Voucher._meta.get_field("shop"), admin.site)
        super().__init__(Shop.objects.open_to_public(), widget=widget, **options)

    def label_from_instance(self, obj: Shop) -> str:
        return shop_label(obj)
