"""What happens to a person's work at shops when their account is deleted."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import Erasure, delete_batch
from apps.accounts.models import User
from apps.shops.members import membership
from apps.shops.models import ShopMember


def purge(user_id: int) -> int:
    """End the person's work at shops, and the roles that followed from it."""
    gone = delete_batch(ShopMember.objects.filter(user=user_id))
    if gone:
        membership.sync_roles(User.objects.get(pk=user_id))
    return gone


ERASURE = Erasure(purge=purge, goes=(_("Your work at shops: you redeem no coupons there any more."),))
