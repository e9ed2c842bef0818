"""Valid notes to bend; a test names only what it is about."""

from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.blog.models import Note
from apps.shops.models import Shop
from tests.factories import NoteFactory
from tests.shops import makers as shop_makers


def shop(name: str = "Lakeside Noodle House", **fields: Any) -> Shop:
    """The shop of that name, made once."""
    return Shop.objects.filter(name_en=name).first() or shop_makers.shop(name, **fields)


def note(author: User, *, at: datetime | None = None, **fields: Any) -> Note:
    """A published note about the one shop that all notes are about; `at` is when it was published."""
    if at:
        fields["published_at"] = at
    return NoteFactory.create(author=author, shop=fields.pop("shop", None) or shop(), **fields)
