"""Fan-out: writes a published note to the inboxes of its author's followers, a batch at a time.

Until all batches are done the note has no `pushed_at`, and feeds read it from SQL. A slow queue or a worker
that dies in between therefore changes nothing that readers see. Each batch, and the whole, may be repeated.
`apps.blog.tasks` registers the tasks.
"""

from collections.abc import Iterable
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from apps.blog.feed import inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.live_settings import NOTES
from apps.blog.models import Note
from apps.follows.models import Follow
from apps.redis_kit import fault_injection

#: Followers that one task writes to, in about 0.1 s.
BATCH_FOLLOWERS = 5_000
#: A note published longer ago and not pushed yet counts as lost.
LOST_AFTER = timedelta(minutes=2)
#: Lost notes that are pushed again in one run.
MAX_LOST_NOTES = 500


def push_batch(note_id: int, *, after: int = 0) -> int:
    """Write a note to the next batch of followers; returns the last Follow row's id, or 0 when it is done."""
    note = Note.objects.published().filter(pk=note_id, pushed_at=None).first()
    if note is None or not after and _decide_pulled(note):
        return 0
    rows = Follow.objects.filter(followee=note.author_id, pk__gt=after).order_by("pk")
    batch = list(rows.values_list("pk", "follower_id")[:BATCH_FOLLOWERS])
    inboxes.push_note((follower_id for _pk, follower_id in batch), FeedPosition.for_note(note))
    fault_injection.point("pushed")
    if len(batch) == BATCH_FOLLOWERS:
        return batch[-1][0]
    Note.objects.published().filter(pk=note_id).update(pushed_at=timezone.now())
    return 0


def list_lost_ids() -> Iterable[int]:
    """Return ids of notes that should have been pushed by now, the newest first, at most MAX_LOST_NOTES."""
    since = timezone.now() - LOST_AFTER
    lost = Note.objects.published().filter(pushed_at=None, pulled=False, published_at__lt=since)
    return lost.order_by("-published_at").values_list("pk", flat=True)[:MAX_LOST_NOTES]


def _decide_pulled(note: Note) -> bool:
    """Return whether the author has too many followers to push to.

    Stores the decision in the note when its first batch starts.
    """
    limit = NOTES.current().push_limit
    pulled = bool(Follow.objects.filter(followee=note.author_id)[limit : limit + 1])
    if pulled != note.pulled:
        Note.objects.filter(pk=note.pk).update(pulled=pulled)
    return pulled


@shared_task(name="blog.fan_out", max_retries=5)
def fan_out(note_id: int, after: int = 0) -> None:
    """Write a note to one batch of followers and queue the next; a worker that dies repeats one batch."""
    last_follow_id = push_batch(note_id, after=after)
    if last_follow_id:
        fan_out.delay(note_id, last_follow_id)


@shared_task(name="blog.fan_out_missed")
def fan_out_missed() -> int:
    """Queue notes again whose fan-out was lost in a crash before or during its task; returns their number."""
    missed = list(list_lost_ids())
    for note_id in missed:
        # The task expires after a minute; the next run then finds the note again.
        fan_out.apply_async((note_id,), expires=60)
    return len(missed)
