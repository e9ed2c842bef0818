"""What happens to a person's claims of shops when their account is deleted."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import BATCH_SIZE, Erasure, clear_batch, export_rows
from apps.accounts.pictures import files
from apps.queues import owed
from apps.shops.models import ShopClaim


def purge(user_id: int) -> int:
    """Delete what the person sent, with the pictures, and take their name off what they decided."""
    claims = list(ShopClaim.objects.filter(user=user_id)[:BATCH_SIZE])
    for claim in claims:
        claim.delete()
        if claim.picture:
            owed.run_after_commit(files.delete_sizes, str(claim.picture))
    return len(claims) + clear_batch(ShopClaim.objects.filter(decided_by=user_id), "decided_by")


def export(user_id: int) -> dict[str, Any]:
    """What the person sent about shops."""
    sent = ShopClaim.objects.filter(user=user_id)
    return {"shop_claims": export_rows(sent, "shop_id", "is_new", "text", "state", "reason", "created_at")}


ERASURE = Erasure(
    purge=purge,
    goes=(_("What you sent about shops that are yours, or that were missing here."),),
    export=export,
)
