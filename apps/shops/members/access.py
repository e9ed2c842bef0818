"""Access to the people of a shop."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from apps.accounts.models import User
from apps.shops.members import own_shops
from apps.shops.models import Shop


def owned_shop(shop_id: int, user: User) -> Shop:
    """The shop whose people this person may see and change: 403 for its cashiers, 404 for strangers."""
    shop = own_shops.owned_shop(shop_id, user)
    if shop is None and own_shops.works_at(user, shop_id):
        raise PermissionDenied
    if shop is None:
        raise Http404
    return shop
