"""Likes and comments of new notes, with the counts that belong to them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random

from django.db import transaction
from django.utils import timezone

from apps.blog import heat
from apps.blog.models import Comment, Like, Note
from apps.demo.social import crowd, remarks

MOST_LIKES, MOST_COMMENTS = 160, 9
#: Of the regulars' notes the customer likes one in so many.
CUSTOMER_LIKES_EVERY = 5


@transaction.atomic
def make(notes: Sequence[Note], *, seed: int) -> tuple[int, int]:
    """Let the crowd like and discuss these notes; how many likes and comments that makes."""
    readers, now = crowd.Crowd.of_the_demo(), timezone.now()
    likes = [like for note in notes for like in _likes(note, readers, _chance(note, seed), now)]
    Like.objects.bulk_create(sorted(likes, key=_when))
    many = {note.pk: 0 for note in notes}
    for like in likes:
        many[like.note_id] += 1
    for note in notes:
        note.likes, note.heat = many[note.pk], heat.of(many[note.pk], note.published_at)
    comments = _discuss(notes, readers, seed, now)
    Note.objects.bulk_update(notes, ["likes", "heat", "comments"], batch_size=200)
    return len(likes), comments


def _chance(note: Note, seed: int) -> Random:
    return Random(f"{seed}:applause:{note.shop_id}:{note.title}:{note.author_id}")


def _likes(note: Note, readers: crowd.Crowd, chance: Random, now: datetime) -> Iterator[Like]:
    known = 4 if note.author_id == readers.everybody[0] else 1.6
    many = min(MOST_LIKES, int(chance.paretovariate(0.85) * known))
    fans = chance.sample([one for one in readers.everybody if one != note.author_id], many)
    if note.author_id in readers.regulars and chance.random() * CUSTOMER_LIKES_EVERY < 1:
        fans.append(readers.customer_id)
    for user_id in fans:
        yield Like(note=note, user_id=user_id, created_at=_later(note.published_at or now, chance, now))


def _discuss(notes: Sequence[Note], readers: crowd.Crowd, seed: int, now: datetime) -> int:
    comments, replies = [], []
    for note in notes:
        chance = Random(f"{seed}:talk:{note.shop_id}:{note.title}:{note.author_id}")
        many = min(MOST_COMMENTS, int(chance.uniform(0, 1.5) * (1 + note.likes) ** 0.4))
        for text in chance.sample(remarks.COMMENTS, many):
            asked = _later(note.published_at or now, chance, now)
            comment = Comment(
                note=note, author_id=chance.choice(readers.everybody), text=text, created_at=asked
            )
            comments.append(comment)
            if chance.random() < 0.4 and comment.author_id != note.author_id:
                replies.append(_reply(comment, chance, now))
        note.comments = many + sum(reply.note is note for reply in replies)
    Comment.objects.bulk_create(sorted(comments, key=_when))
    Comment.objects.bulk_create(sorted(replies, key=_when))
    return len(comments) + len(replies)


def _reply(comment: Comment, chance: Random, now: datetime) -> Comment:
    at = _later(comment.created_at, chance, now)
    author_id, text = comment.note.author_id, chance.choice(remarks.REPLIES)
    return Comment(note=comment.note, author_id=author_id, parent=comment, text=text, created_at=at)


def _later(at: datetime, chance: Random, now: datetime) -> datetime:
    """Some time between then and now, sooner rather than later."""
    return at + min(now - at, timedelta(days=6)) * chance.random() ** 2


def _when(row: Like | Comment) -> datetime:
    return row.created_at
