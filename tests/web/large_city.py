"""A city of many notes, in SQL and in everything that Redis keeps of it."""

import random
from datetime import timedelta
from itertools import cycle

import factory
from django.core.management import call_command
from django.utils import timezone

from apps.blog.models import Note
from apps.shops.models import Shop
from tests.factories import (
    FollowFactory,
    LikeFactory,
    NoteFactory,
    ShopFactory,
    ShopTypeFactory,
    UserFactory,
)
from tests.search import corpora

#: Notes a shop and an author, likes a note; everybody follows so many others.
NOTES_A_SHOP, NOTES_AN_AUTHOR, LIKES_A_NOTE, FOLLOWS = 10, 50, 2, 20
TYPES = ("food", "cafe", "hotel", "sports")
AREAS = tuple(f"Area {number}" for number in range(40))


def fill(notes: int) -> list[Note]:
    """So many notes, in the order of their ids, with shops, authors, likes and follows; then all of Redis."""
    chance = random.Random(7)
    people = UserFactory.bulk_create(max(FOLLOWS + 1, notes // NOTES_AN_AUTHOR))
    shops = _make_shops(max(10, notes // NOTES_A_SHOP), chance)
    texts = list(corpora.make_english(notes * 4 // 5).values())
    texts += corpora.make_chinese(notes - len(texts)).values()
    now = timezone.now()
    made = NoteFactory.bulk_create(
        notes,
        author=factory.Iterator(people),
        shop=factory.Iterator(shops),
        title=factory.Iterator([text[:40] for text in texts]),
        text=factory.Iterator(texts),
        rating=factory.Iterator(cycle((5, 4, 3, 5))),
        likes=LIKES_A_NOTE,
        published_at=factory.Iterator(now - timedelta(minutes=number) for number in range(notes)),
    )
    pairs = [(note, people[(number + turn) % len(people)])
             for number, note in enumerate(made) for turn in range(LIKES_A_NOTE)]  # fmt: skip
    LikeFactory.bulk_create(
        len(pairs),
        note=factory.Iterator(note for note, _person in pairs),
        user=factory.Iterator(person for _note, person in pairs),
    )
    followed = [(one, people[(number + step) % len(people)])
                for number, one in enumerate(people) for step in range(1, FOLLOWS + 1)]  # fmt: skip
    FollowFactory.bulk_create(
        len(followed),
        follower=factory.Iterator(one for one, _other in followed),
        followee=factory.Iterator(other for _one, other in followed),
    )
    call_command("rebuild_redis")
    return made


def _make_shops(count: int, chance: random.Random) -> list[Shop]:
    types = [ShopTypeFactory.create(slug=slug) for slug in TYPES]
    return ShopFactory.bulk_create(
        count,
        type=factory.Iterator(types),
        name_en=factory.Sequence(lambda number: f"Noodle House {number}"),
        area_en=factory.Iterator(AREAS),
        lat=factory.LazyFunction(lambda: 30.24 + chance.uniform(-0.15, 0.15)),
        lng=factory.LazyFunction(lambda: 120.15 + chance.uniform(-0.15, 0.15)),
        price=factory.LazyFunction(lambda: chance.randrange(1_000, 40_000)),
    )
