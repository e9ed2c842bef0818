"""One's claims of shops, as the list of notifications shows them."""

from collections.abc import Collection

from django.urls import reverse

from apps.mailbox.display.targets import Target
from apps.shops.models import ShopClaim


class ClaimTargets:
    """The reader's own claims."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        rows = ShopClaim.objects.filter(pk__in=ids, user=reader_id).select_related("shop")
        return {row.pk: Target(row.shop.name, reverse("shops:claim", args=[row.shop_id])) for row in rows}
