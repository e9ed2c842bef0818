"""Which shop a person may claim, and whose claim a page shows."""

from django.http import Http404

from apps.accounts.models import User
from apps.shops import access
from apps.shops.claims import deciding
from apps.shops.models import Shop, ShopClaim


def claimable_shop(shop_id: int, user: User) -> tuple[Shop, ShopClaim | None]:
    """A public shop, or one that this person proposed, with their newest claim of it; Http404."""
    claim = deciding.find_latest(shop_id, user)
    try:
        return access.shop(shop_id), claim
    except Http404:
        if claim is None:
            raise
        return claim.shop, claim
