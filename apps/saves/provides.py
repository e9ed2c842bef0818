"""What saves give to others: which things a person saved, and their share of account and reconciliation."""

import operator

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.pending_actions import RESUMABLES, Resumable
from apps.accounts.personal.parts import PAGE_PARTS, SetPart
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.saves import erasure, saves
from apps.saves.models import Save

PAGE_PARTS.register(SetPart(saves.SETS, "saved_shops"), key="saved_shops", order=60)
PAGE_PARTS.register(SetPart(saves.SETS, "saved_notes", operator.neg), key="saved_notes", order=61)
ERASURES.register(erasure.ERASURE, key="saves", order=20)

parts.register(
    "saves.sets",
    batches=saves.SETS.compare,
    about="what people saved: sets in Redis",
    count=Save.objects.count,
)

rebuilding.register(saves.SETS, _("What people saved"))

RESUMABLES.register(Resumable(fixed={"saved": "1"}), key="saves:save")

EFFECTS.register(saves.forget_copies)
