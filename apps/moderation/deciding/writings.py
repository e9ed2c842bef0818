"""Hides everything that a banned person wrote, and shows it again when the decision is undone.

What that is each app knows: it is what a deleted account hides during its grace. It goes batch by batch, so
that a killed worker's work is continued; `swept_at` says that a decision, or its undoing, is through. One
process at a time takes steps: so an undo never meets a step of the hiding that it undoes.
"""

from functools import partial

from django.utils import timezone

from apps.accounts.deletion.rules import ERASURES
from apps.moderation.models import Decision
from apps.redis_kit import locks
from apps.web import on_commit

LOCK = "moderation.writings"
LEASE_SECONDS = 300


def sweep_after_commit(decision: Decision) -> None:
    """Hide or show the first batch after the commit; the rest is the scheduled sweep's."""
    if decision.hides_all:
        step = partial(_take_step, decision.pk)
        on_commit.run_after_commit(locks.run_exclusively, LOCK, step, lease=LEASE_SECONDS)


def sweep() -> int | None:
    """Go on with all decisions that are not through; how many, None while another process does it."""
    return locks.run_exclusively(LOCK, _sweep, lease=LEASE_SECONDS)


def _sweep() -> int:
    waiting = Decision.objects.filter(hides_all=True, swept_at=None).order_by("decided_at")
    chosen = list(waiting.values_list("pk", flat=True))
    for decision_id in chosen:
        while not _take_step(decision_id):
            continue
    return len(chosen)


def _take_step(decision_id: int) -> bool:
    """Hide one batch of each app's rows, or show it again; whether all is done, which the row then says."""
    decision = Decision.objects.select_related("case").get(pk=decision_id)
    author_id = decision.case.author_id
    if author_id and _change_batch(author_id, decision):
        return False
    same = Decision.objects.filter(pk=decision_id, undone_at=decision.undone_at)
    return bool(same.update(swept_at=timezone.now()))


def _change_batch(author_id: int, decision: Decision) -> int:
    at = decision.decided_at
    if decision.undone_at:
        return sum(rule.restore(author_id, at) for rule in reversed(ERASURES.entries()))
    return sum(rule.hide(author_id, at) for rule in ERASURES.entries())
