"""A published note on its way to the inboxes of its author's followers, a batch at a time.

Until it is everywhere it has no `pushed_at`, and readers take it from SQL: a slow queue, or a worker that
dies in between, changes nothing of what they see. Each batch may be repeated, and so may the whole.
"""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from apps.blog.feed import inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.follows.models import Follow
from apps.redis_kit import fault_injection

#: Followers of one task: about a tenth of a second.
BATCH_FOLLOWERS = 5_000
#: A note that is older and not everywhere yet was lost on the way.
LOST_AFTER = timedelta(minutes=2)
#: Lost notes taken up at a time.
MAX_LOST_NOTES = 500


def push_batch(note_id: int, *, after: int = 0) -> int:
    """Bring a note to the next followers; after which Follow row to go on, 0 when nothing is left to do."""
    note = Note.objects.published().filter(pk=note_id, pushed_at=None).first()
    if note is None or not after and _decide_pulled(note):
        return 0
    rows = Follow.objects.filter(followee=note.author_id, pk__gt=after).order_by("pk")
    some = list(rows.values_list("pk", "follower_id")[:BATCH_FOLLOWERS])
    inboxes.push_note((follower_id for _pk, follower_id in some), FeedPosition.for_note(note))
    fault_injection.point("pushed")
    if len(some) == BATCH_FOLLOWERS:
        return some[-1][0]
    Note.objects.published().filter(pk=note_id).update(pushed_at=timezone.now())
    return 0


def list_lost_ids() -> Iterable[int]:
    """Notes that should be everywhere by now."""
    since = timezone.now() - LOST_AFTER
    waiting = Note.objects.published().filter(pushed_at=None, pulled=False, published_at__lt=since)
    return waiting.order_by("-published_at").values_list("pk", flat=True)[:MAX_LOST_NOTES]


def _decide_pulled(note: Note) -> bool:
    """Whether its author has too many followers; decided note by note, when its way begins."""
    limit = settings.FEED_PUSH_LIMIT
    pulled = bool(Follow.objects.filter(followee=note.author_id)[limit : limit + 1])
    if pulled != note.pulled:
        Note.objects.filter(pk=note.pk).update(pulled=pulled)
    return pulled
