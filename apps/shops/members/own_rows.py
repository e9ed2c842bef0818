"""Admins whose rows belong to shops: an owner sees those of their own shops and no others."""

from collections.abc import Mapping

from django.http import HttpRequest

from apps.adminkit.own_rows import OwnRowsAdmin
from apps.shops.members import own_shops


class ShopRowsAdmin(OwnRowsAdmin):
    """Rows that `shop_path` leads from to their shop."""

    shop_path = ""

    def sees_all(self, request: HttpRequest) -> bool:
        return own_shops.sees_all(request.user)

    def own_lookups(self, request: HttpRequest) -> Mapping[str, object]:
        return own_shops.owner_lookups(request.user.pk, self.shop_path)
