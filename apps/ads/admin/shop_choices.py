"""The search field for an ad's shop, for advertisers too, who may not see the admin of shops."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from apps.coupons.admin import shop_choices
from apps.shops.models import Shop


class ShopAutocompleteView(shop_choices.ShopAutocompleteView):
    """The search box's answers: listed shops, which everybody may see."""

    def get_queryset(self) -> QuerySet[Shop]:
        found, _may_repeat = self.model_admin.get_search_results(
            self.request, Shop.objects.open_to_public(), self.term
        )
        return found

    def has_perm(self, request: HttpRequest, _row: object = None) -> bool:
        return request.user.has_perm("ads.change_ad") or request.user.has_perm("ads.add_ad")


class ShopSelect(shop_choices.ShopSelect):
    def get_url(self) -> str:
        return reverse("admin:ads_shop_choices")


class ShopField(shop_choices.ShopField):
    """One listed shop, found by a part of its name, area or address."""

    select = ShopSelect
