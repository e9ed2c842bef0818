"""Makes the likes, comments and replies of the demo's new notes, and updates the notes' counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random

from django.utils import timezone

from apps.blog import heat
from apps.blog.models import Comment, Like, Note
from apps.demo import texts
from apps.demo.social import roles
from apps.web import in_language

#: Language -> comments, those that fit a type of shops only, and what authors answer.
TEXTS = {"en": texts.read("comments")["en"], "zh-Hans": texts.read("comments")["zh"]}
#: The limit of a note's likes is drawn from this range; a note has fewer comments than the maximum.
LIKES_RANGE, MAX_COMMENTS = range(90, 185), 9
#: A note that so many people like has one comment at least.
LIKES_A_COMMENT = 20
#: The customer likes one in this many of the regulars' notes.
CUSTOMER_LIKES_EVERY = 5


def make(notes: Sequence[Note], *, seed: int) -> tuple[int, int]:
    """Create likes and comments on new notes; returns (likes, comments), replies included."""
    readers, now = roles.Roles.load(), timezone.now()
    likes = [like for note in notes for like in _build_likes(note, readers, _random_for(note, seed), now)]
    liked = Counter(like.note_id for like in likes)
    comments = [
        one
        for note in notes
        for one in _build_comments(note, liked[note.pk], readers, _random_for(note, seed), now)
    ]
    replies = [
        one for comment in comments for one in _build_replies(comment, _random_for(comment.note, seed), now)
    ]
    Like.objects.bulk_create(sorted(likes, key=_created_at))
    for some in (comments, replies):
        Comment.objects.bulk_create(sorted(some, key=_created_at))
    comment_counts = Counter(one.note_id for one in (*comments, *replies))
    for note in notes:
        note.likes, note.comments = liked[note.pk], comment_counts[note.pk]
        note.heat = heat.score(note.likes, note.published_at)
    Note.objects.bulk_update(notes, ["likes", "heat", "comments"], batch_size=200)
    return liked.total(), comment_counts.total()


def comments_of(language: str, slug: str) -> list[str]:
    """The comments that fit notes about shops of a type."""
    found = TEXTS[language]
    return [*found["comments"], *found["comments_by_type"].get(slug, ())]


def _random_for(note: Note, seed: int) -> Random:
    return Random(f"{seed}:applause:{note.shop_id}:{note.title}")


def _build_likes(note: Note, readers: roles.Roles, chance: Random, now: datetime) -> Iterator[Like]:
    known = 4 if note.author_id == readers.everybody[0] else 1.6
    many = min(chance.choice(LIKES_RANGE), int(chance.paretovariate(0.85) * known))
    fans = chance.sample([one for one in readers.everybody if one != note.author_id], many)
    if note.author_id in readers.regulars and chance.random() * CUSTOMER_LIKES_EVERY < 1:
        fans.append(readers.customer_id)
    for user_id in fans:
        yield Like(
            note=note, user_id=user_id, created_at=_random_time_after(note.published_at or now, chance, now)
        )


def _build_comments(
    note: Note, likes: int, readers: roles.Roles, chance: Random, now: datetime
) -> Iterator[Comment]:
    many = min(MAX_COMMENTS, int(chance.paretovariate(1))) - 1
    least = min(2, likes // LIKES_A_COMMENT)
    language = in_language.language_of(note.text)
    fitting = comments_of(language, note.shop.type.slug)
    for text in chance.sample(fitting, max(many, least)):
        author_id = chance.choice([one for one in readers.everybody if one != note.author_id])
        at = _random_time_after(note.published_at or now, chance, now)
        yield Comment(note=note, author_id=author_id, text=text, created_at=at)


def _build_replies(comment: Comment, chance: Random, now: datetime) -> Iterator[Comment]:
    """The reply of the note's author to a comment, or nothing."""
    chance.seed(f"{chance.random()}:{comment.text}")
    replies = TEXTS[in_language.language_of(comment.text)]["replies"]
    if chance.random() < 0.4:
        author_id, text = comment.note.author_id, chance.choice(replies)
        at = _random_time_after(comment.created_at, chance, now)
        yield Comment(note=comment.note, author_id=author_id, parent=comment, text=text, created_at=at)


def _random_time_after(at: datetime, chance: Random, now: datetime) -> datetime:
    """A random time at most six days after `at` and not after `now`; early times are likelier."""
    return at + min(now - at, timedelta(days=6)) * chance.random() ** 2


def _created_at(row: Like | Comment) -> datetime:
    return row.created_at
