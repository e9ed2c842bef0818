"""What happens to saved shops and notes, and the lists of them, when an account is deleted."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import BATCH_SIZE, Erasure, delete_batch, export_rows
from apps.queues import owed
from apps.saves import saves
from apps.saves.models import ListEntry, Save, SaveList


def purge(user_id: int) -> int:
    """Delete a batch of lists and saves."""
    with transaction.atomic():
        ids = list(Save.objects.filter(user=user_id).order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])
        Save.objects.filter(pk__in=ids).delete()
        owed.run_after_commit(saves.forget_copies, user_id)
    return len(ids) + delete_batch(SaveList.with_deleted.filter(owner=user_id))


def export(user_id: int) -> dict[str, Any]:
    """Saved shops and notes, and the lists with what is in them."""
    entries = ListEntry.objects.filter(list__owner=user_id)
    entries = entries.annotate(shop_id=F("saved__shop_id"), note_id=F("saved__note_id"))
    return {
        "saves": export_rows(Save.objects.filter(user=user_id), "shop_id", "note_id", "created_at"),
        "lists": export_rows(
            SaveList.with_deleted.filter(owner=user_id),
            *("id", "name", "description", "is_public", "deleted_at"),
        ),
        "list_entries": export_rows(entries, "list_id", "shop_id", "note_id", "created_at"),
    }


ERASURE = Erasure(purge=purge, goes=(_("What you saved, and your lists."),), export=export)
