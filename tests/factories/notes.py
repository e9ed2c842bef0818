"""Notes, their photos, likes and comments."""

import itertools
from typing import Any

import factory
from django.utils import timezone

from apps.blog import heat
from apps.blog.models import Comment, Like, Note, Photo
from tests.factories.people import UserFactory
from tests.factories.rows import RowFactory
from tests.factories.shops import ShopFactory


class PhotoFactory(RowFactory[Photo]):
    """A photo without files, on no note."""

    class Meta:
        model = Photo

    owner = factory.SubFactory(UserFactory)
    width = 1_200
    height = 900


def _add_photos(note: Note, create: bool, count: int | None, **fields: Any) -> None:
    """Give a created note so many photos of its author's, one unless it is said."""
    if create:
        PhotoFactory.bulk_create(
            1 if count is None else count,
            owner=note.author,
            note=note,
            position=factory.Iterator(itertools.count()),
            **fields,
        )


class NoteFactory(RowFactory[Note]):
    """A note published just now, with one photo: `photos=3` for three, `photos=0` for none."""

    class Meta:
        model = Note

    class Params:
        draft = factory.Trait(status=Note.Status.DRAFT, published_at=None)

    author = factory.SubFactory(UserFactory)
    shop = factory.SubFactory(ShopFactory)
    title = "Broth that forgives"
    text = "We waited ten minutes and would wait an hour."
    rating = 5
    status = Note.Status.PUBLISHED
    likes = 0
    published_at = factory.LazyFunction(timezone.now)
    heat = factory.LazyAttribute(lambda note: heat.score(note.likes, note.published_at))
    photos = factory.PostGeneration(_add_photos)


class LikeFactory(RowFactory[Like]):
    """A like that its note's number doesn't count."""

    class Meta:
        model = Like

    note = factory.SubFactory(NoteFactory)
    user = factory.SubFactory(UserFactory)


class CommentFactory(RowFactory[Comment]):
    """A comment that its note's number doesn't count."""

    class Meta:
        model = Comment

    note = factory.SubFactory(NoteFactory)
    author = factory.SubFactory(UserFactory)
    text = "We will come back."
