"""Valid notes to bend; a test names only what it is about."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.accounts.models import User
from apps.blog import heat
from apps.blog.models import Note, Photo
from apps.shops.models import Shop
from tests.shops import makers as shop_makers


def shop(name: str = "Lakeside Noodle House", **fields: Any) -> Shop:
    """The shop of that name, made once."""
    return Shop.objects.filter(name_en=name).first() or shop_makers.shop(name, **fields)


def note(author: User, *, at: datetime | None = None, photos: int = 1, **fields: Any) -> Note:
    """A published note with photo rows (no files); `at` is when it was published."""
    when = at or timezone.now()
    made = Note.objects.create(
        **{
            "author": author,
            "shop": fields.pop("shop", None) or shop(),
            "title": "Broth that forgives",
            "text": "We waited ten minutes and would wait an hour.",
            "rating": 5,
            "status": Note.Status.PUBLISHED,
            "published_at": when,
            "heat": heat.score(int(fields.get("likes", 0)), when),
        }
        | fields
    )
    Photo.objects.bulk_create(
        Photo(owner=author, note=made, position=place, width=1200, height=900) for place in range(photos)
    )
    return made
