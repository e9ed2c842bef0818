"""Builds a town that writes notes, likes and follows: thousands of rows, the same in every run."""

from datetime import timedelta
from random import Random

from django.db.models import Count
from django.utils import timezone

from apps.accounts.models import User
from apps.blog import heat
from apps.blog.models import Comment, Like, Note, Photo
from apps.follows.models import Follow, Standing
from apps.shops.models import Shop
from tests.factories import UserFactory
from tests.shops import makers

PEOPLE, SHOPS, NOTES, FOLLOWS_EACH, COMMENTS = 1_000, 100, 5_000, 50, 20
#: The likes of the most liked note; the next ones have ever fewer.
MOST_LIKES = 900


def build() -> list[User]:
    """Create the town and return everybody, in the order of their ids."""
    chance, people, shops = Random(3), UserFactory.bulk_create(PEOPLE), makers.shops(SHOPS)
    notes = _notes(chance, people, shops)
    _likes(chance, people, notes)
    _comments(chance, people, notes)
    _follows(chance, people)
    return people


def _notes(chance: Random, people: list[User], shops: list[Shop]) -> list[Note]:
    now = timezone.now()
    made = Note.objects.bulk_create(
        Note(
            author=chance.choice(people),
            shop=chance.choice(shops),
            title=f"Broth {number}",
            text="We waited ten minutes and would wait an hour. " * 5,
            rating=chance.randint(1, 5),
            status=Note.Status.PUBLISHED,
            published_at=(at := now - timedelta(minutes=number)),
            pushed_at=at,
        )
        for number in range(NOTES)
    )
    Photo.objects.bulk_create(
        Photo(owner_id=note.author_id, note=note, position=place, width=1200, height=900)
        for note in made
        for place in range(3)
    )
    return made


def _likes(chance: Random, people: list[User], notes: list[Note]) -> None:
    rows = [
        Like(note=note, user=person, created_at=timezone.now() - timedelta(seconds=chance.random() * 9e4))
        for place, note in enumerate(notes)
        for person in chance.sample(people, MOST_LIKES // (1 + place // 10))
    ]
    Like.objects.bulk_create(rows, batch_size=5_000)
    counted = dict(Like.objects.order_by().values_list("note").annotate(many=Count("pk")))
    for note in notes:
        note.likes = counted.get(note.pk, 0)
        note.heat = heat.score(note.likes, note.published_at)
    Note.objects.bulk_update(notes, ["likes", "heat"], batch_size=500)


def _comments(chance: Random, people: list[User], notes: list[Note]) -> None:
    Comment.objects.bulk_create(
        Comment(note=note, author=chance.choice(people), text="So say I.")
        for note in notes[:500]
        for _ in range(COMMENTS)
    )
    Note.objects.filter(pk__in=[note.pk for note in notes[:500]]).update(comments=COMMENTS)


def _follows(chance: Random, people: list[User]) -> None:
    Follow.objects.bulk_create(
        (
            Follow(follower=one, followee=other)
            for one in people
            for other in chance.sample(people, FOLLOWS_EACH)
            if one != other
        ),
        batch_size=5_000,
    )
    Standing.objects.bulk_create(
        Standing(
            pk=person.pk,
            following=Follow.objects.filter(follower=person).count(),
            followers=Follow.objects.filter(followee=person).count(),
        )
        for person in people
    )
