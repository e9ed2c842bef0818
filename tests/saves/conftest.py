import pytest

from apps.accounts.models import User
from apps.blog.models import Note
from apps.saves.subjects import Subject
from apps.shops.models import Shop
from tests.blog import makers as notes
from tests.shops import makers as shops


@pytest.fixture
def shop(db: None) -> Shop:
    return shops.shop()


@pytest.fixture
def note(bob: User, shop: Shop) -> Note:
    """A note of bob's about the shop."""
    return notes.note(bob, shop=shop)


@pytest.fixture
def place(shop: Shop) -> Subject:
    return Subject("shop", shop.pk)


@pytest.fixture
def story(note: Note) -> Subject:
    return Subject("note", note.pk)
