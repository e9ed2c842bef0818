"""What ads forget when an account is deleted."""

from apps.accounts.deletion.rules import Erasure, delete_batch
from apps.ads.models import Advertiser


def purge(user_id: int) -> int:
    """End the person's memberships of advertisers; what they saw and hid expires by itself."""
    return delete_batch(Advertiser.members.through.objects.filter(user=user_id))


ERASURE = Erasure(purge=purge)
