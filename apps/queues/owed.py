"""What a commit owes to Redis, to files and to others: a row keeps it until it is done.

    EFFECTS.register(graph.after_follow)              # in provides.py
    owed.run_after_commit(graph.after_follow, 7, 8)   # in the transaction

The row is written in the caller's transaction. After the commit the function is called at once, and the row
deleted. Where the process died between the two, or a call to Redis was lost, whoever is alive calls the
function again: workers and consumers look every few seconds. So it takes values that JSON has, is safe to
repeat, and reads from SQL what may have changed since. One that returns False has not done its work.
docs/effects.md lists what is owed, and what may be forgotten.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from apps.queues.models import OwedEffect
from apps.redis_kit import breaker
from apps.web import on_commit
from apps.web.registry import Registry

#: Who has committed does it within milliseconds; after so long another one does.
GRACE = timedelta(seconds=3)
#: Between two tries of one effect, by whoever.
RETRY_PAUSE = timedelta(seconds=5)
#: Rows of one sweep, the longest due first.
MAX_BATCH_EFFECTS = 500
Effect = Callable[..., object]
EFFECTS: Registry[Effect] = Registry("effects that commits owe")
_DELETE = f"DELETE FROM {OwedEffect._meta.db_table} WHERE id = %s"  # noqa: S608 - a table's name
log = logging.getLogger(__name__)


def run_after_commit(effect: Effect, *arguments: Any, at_once: Callable[[], object] | None = None) -> None:
    """Call a registered effect once the transaction commits, and again until it is done.

    `at_once` is a quicker way to do the same, which is tried first, in this process. LookupError for an
    effect that no app has registered.
    """
    name, values = _find_name(effect), [_to_list(value) for value in arguments]
    row = OwedEffect.objects.create(effect=name, arguments=values, due_at=Now() + GRACE)
    on_commit.run_after_commit(_settle, row.pk, at_once or effect, [] if at_once else values)


def sweep() -> int:
    """Do what is owed since longer than GRACE; how many. It ends early when Redis is away."""
    done = 0
    due = OwedEffect.objects.filter(due_at__lte=Now()).order_by("due_at")
    for row in list(due[:MAX_BATCH_EFFECTS]):
        mine = OwedEffect.objects.filter(pk=row.pk, tries=row.tries)
        if not mine.update(tries=F("tries") + 1, due_at=Now() + RETRY_PAUSE):
            continue
        effect = EFFECTS.get(row.effect)
        if effect is None:
            log.error("nobody here knows the owed effect %s: a process of its release does it", row.effect)
            continue
        lost = breaker.count_lost_calls()
        done += _settle(row.pk, effect, row.arguments)
        if breaker.count_lost_calls() > lost:
            break
    return done


def count_waiting() -> int:
    """How many effects are owed since longer than they should be."""
    return OwedEffect.objects.filter(due_at__lte=Now() - RETRY_PAUSE).count()


def _settle(row_id: int, effect: Effect, arguments: Sequence[Any]) -> bool:
    """Call an effect; whether it is done, and its row with it."""
    lost = breaker.count_lost_calls()
    try:
        returned = effect(*arguments)
    except Exception:
        log.exception("%s is owed, and tried again", getattr(effect, "__qualname__", effect))
        return False
    if returned is False or breaker.count_lost_calls() > lost:
        return False
    # QuerySet.delete() would begin and end a transaction: four statements.
    with connection.cursor() as cursor:
        cursor.execute(_DELETE, [row_id])
    return True


def _find_name(effect: Effect) -> str:
    names = [name for name, known in EFFECTS.items() if known == effect]
    if not names:
        raise LookupError(f"{effect!r} is no registered effect: a row could not name it")
    return names[0]


def _to_list(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else value
