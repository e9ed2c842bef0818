"""What happens to saves and lists when an account is deleted."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import BATCH_SIZE, ERASURES, Erasure, delete_batch, export_rows
from apps.saves import counts, saved_sets
from apps.saves.models import ListEntry, Save, SaveList
from apps.saves.subjects import subject_of


def purge(user_id: int) -> int:
    """Delete a batch of the person's lists and saves; the counts of what was saved forget them."""
    subjects = [subject_of(row) for row in Save.objects.filter(user=user_id).order_by("pk")[:BATCH_SIZE]]
    changed = delete_batch(SaveList.objects.filter(owner=user_id)) + delete_batch(
        Save.objects.filter(user=user_id)
    )
    for subject in subjects:
        counts.COUNTS.invalidate(*subject)
    saved_sets.forget(user_id)
    return changed


def export(user_id: int) -> dict[str, Any]:
    """What the person saved, their lists, and what is in each."""
    entries = ListEntry.objects.filter(list__owner=user_id)
    lists = SaveList.objects.filter(owner=user_id)
    return {
        "saves": export_rows(Save.objects.filter(user=user_id), "id", "shop_id", "note_id", "created_at"),
        "lists": export_rows(lists, "id", "name", "description", "is_public", "created_at"),
        "list_entries": export_rows(entries, "list_id", "saved_id", "created_at"),
    }


ERASURES.register(
    Erasure(purge=purge, goes=(_("What you saved, and your lists."),), export=export), key="saves", order=25
)
