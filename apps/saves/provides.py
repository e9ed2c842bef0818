"""What saves give to others: which things a person saved, and their share of account and reconciliation."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.personal.parts import PAGE_PARTS
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.saves import erasure, reconcile, saved_sets
from apps.saves.models import Save
from apps.saves.personal import SavedPart

PAGE_PARTS.register(SavedPart("shop"), key="saved_shops", order=60)
PAGE_PARTS.register(SavedPart("note"), key="saved_notes", order=61)
ERASURES.register(erasure.ERASURE, key="saves", order=20)

parts.register(
    "saves.sets", reconcile.check_sets, about="what people saved: sets in Redis", count=Save.objects.count
)
parts.register(
    "saves.counts", reconcile.check_counts, about="how many saved a shop or a note: counts in Redis"
)

rebuilding.register(saved_sets.rebuild, _("What people saved"))
