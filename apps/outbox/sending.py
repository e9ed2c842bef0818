"""Sends messages: a worker claims a row before it sends it, so that each is sent by one worker."""

import logging
import random
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models import F
from django.utils import timezone

from apps.outbox import failures, outbox, ways
from apps.outbox.failures import NotSent, PermanentlyRefused, Postponed
from apps.outbox.models import Message, State
from apps.queues.delayed import Priority
from apps.redis_kit import fault_injection

#: Pause after the first try, doubled with each, in seconds; half of it is left to chance.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 10.0, 3_600.0
#: The sweep leaves what became due just now to the jobs that say so; hosts' clocks may differ by as much.
CLOCK_GRACE = timedelta(seconds=5)
#: Seconds of one sweep, and rows it looks at: the next begins two seconds later.
MAX_SWEEP_SECONDS, MAX_SWEEP_ROWS = 8.0, 500

log = logging.getLogger(__name__)

#: How long a message that was sent is kept: its key stops a second one for so long.
SENT_RETENTION = timedelta(days=90)
#: Rows of one DELETE.
DELETE_BATCH_SIZE = 1_000


def send(keys: Sequence[str]) -> int:
    """Send the given messages that are due; returns how many went out."""
    now = timezone.now() + CLOCK_GRACE
    found = Message.objects.claimable(now).filter(key__in=keys).order_by("pk")
    return _send_claimed(found.values_list("pk", flat=True), ahead=CLOCK_GRACE)


def sweep(*, seconds: float = MAX_SWEEP_SECONDS) -> int:
    """Send due messages, the most urgent first, for some seconds; returns how many went out."""
    due = Message.objects.claimable(timezone.now() - CLOCK_GRACE).order_by("priority", "next_try_at")
    return _send_claimed(due.values_list("pk", flat=True)[:MAX_SWEEP_ROWS], seconds=seconds)


def resend(messages: Iterable[Message], *, also_sent: bool = False) -> list[Message]:
    """Start failed messages again, and sent ones too, each once however often it is asked.

    Returns those that do.
    """
    fresh = {"state": State.WAITING, "attempts": 0, "until": None, "claimed_until": None, "sent_at": None}
    states = [State.FAILED, State.SENT] if also_sent else [State.FAILED]
    again = []
    for message in messages:
        ended = Message.objects.filter(pk=message.pk, state__in=states)
        if ended.update(next_try_at=timezone.now(), **fresh):
            outbox.enqueue([message.key], priority=Priority(message.priority))
            again.append(message)
    return again


def retry_delay(attempts: int) -> timedelta:
    """The pause after a number of tries: it doubles each time, and half of it is random."""
    longest = min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempts - 1))
    return timedelta(seconds=longest * random.uniform(0.5, 1.0))


def _send_claimed(
    numbers: Iterable[int], *, seconds: float | None = None, ahead: timedelta = timedelta()
) -> int:
    ends_at = None if seconds is None else time.monotonic() + seconds
    sent = 0
    for number in list(numbers):
        if ends_at is not None and time.monotonic() > ends_at:
            break
        message = _claim(number, at=timezone.now() + ahead)
        sent += message is not None and _attempt(message)
    return sent


def _claim(number: int, *, at: datetime) -> Message | None:
    """The row when this worker may send it; `attempts` tells this try from a later one."""
    # Longer than any task lives: who still sends past it is dead.
    until = timezone.now() + timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT + 60)
    claimable = Message.objects.claimable(at).filter(pk=number)
    if not claimable.update(claimed_until=until, attempts=F("attempts") + 1):
        return None
    return Message.objects.get(pk=number)


def _attempt(message: Message) -> bool:
    """Send a claimed message and record the outcome."""
    if message.until is not None and message.until < timezone.now():
        return _mark_failed(message, "too late: it was worth sending until then")
    try:
        ways.find(message.channel).deliver(message)
    except Postponed as error:
        return _postpone(message, error.until)
    except PermanentlyRefused as error:
        return _mark_failed(message, str(error))
    except NotSent as error:
        return _schedule_retry(message, str(error))
    except SoftTimeLimitExceeded:
        _schedule_retry(message, failures.NO_ANSWER.fill())
        raise
    except Exception as error:
        log.exception("message %s was not sent", message.key)
        return _schedule_retry(message, f"{type(error).__name__}: {error}")
    fault_injection.point("sent")
    _record_outcome(message, state=State.SENT, sent_at=timezone.now(), last_error="")
    return True


def _postpone(message: Message, until: datetime) -> bool:
    if _record_outcome(message, next_try_at=until, attempts=message.attempts - 1):
        outbox.enqueue([message.key], priority=Priority(message.priority), at=until)
    return False


def _schedule_retry(message: Message, error: str) -> bool:
    if message.attempts >= ways.find(message.channel).max_tries:
        return _mark_failed(message, error)
    at = timezone.now() + retry_delay(message.attempts)
    if _record_outcome(message, next_try_at=at, last_error=_error_excerpt(error)):
        outbox.enqueue([message.key], priority=Priority(message.priority), at=at)
    return False


def _mark_failed(message: Message, error: str) -> bool:
    log.error("message %s failed after %d tries: %s", message.key, message.attempts, error)
    _record_outcome(message, state=State.FAILED, last_error=_error_excerpt(error))
    return False


def _record_outcome(message: Message, **changes: object) -> bool:
    """Write the outcome, unless the claim expired and another worker has the message."""
    mine = Message.objects.waiting().filter(pk=message.pk, attempts=message.attempts)
    return mine.update(claimed_until=None, **changes) == 1


def _error_excerpt(error: str) -> str:
    return error.replace("\x00", "\ufffd")[:500]


def delete_expired() -> int:
    """Delete messages that were sent long ago; returns how many."""
    old = Message.objects.filter(state=State.SENT, sent_at__lt=timezone.now() - SENT_RETENTION).order_by("pk")
    gone = 0
    while some := list(old.values_list("pk", flat=True)[:DELETE_BATCH_SIZE]):
        gone += Message.objects.filter(pk__in=some).delete()[0]
    return gone
