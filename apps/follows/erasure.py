"""What happens to follows when an account is deleted."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import BATCH_SIZE, Erasure, delete_batch, export_rows
from apps.follows import graph
from apps.follows.models import Follow, Standing


def purge(user_id: int) -> int:
    """End a batch of follows in both directions, then forget the counts."""
    rows = Follow.objects.filter(Q(follower=user_id) | Q(followee=user_id))
    pairs = list(rows.values_list("follower_id", "followee_id")[:BATCH_SIZE])
    for follower_id, followee_id in pairs:
        graph.unfollow(follower_id, followee_id)
    if pairs:
        return len(pairs)
    graph.SETS.forget([user_id])
    return delete_batch(Standing.objects.filter(pk=user_id))


def export(user_id: int) -> dict[str, Any]:
    """Whom the person follows."""
    return {"following": export_rows(Follow.objects.filter(follower=user_id), "followee_id", "created_at")}


ERASURE = Erasure(purge=purge, goes=(_("Whom you follow, and who follows you."),), export=export)
