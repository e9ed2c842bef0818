"""Chats for tests."""

from collections.abc import Callable

import pytest

from apps.accounts.models import User
from apps.chat import chats
from apps.chat.models import Chat


@pytest.fixture
def pair(alice: User, bob: User) -> Chat:
    """The chat of Alice and Bob."""
    return chats.open_with(alice.pk, bob.pk)


@pytest.fixture
def group(alice: User, bob: User) -> Chat:
    """A group of Alice and Bob: its first line says that Alice opened it."""
    return chats.create_group(alice.pk, [bob.pk], "Hotpot on Friday")


MakePeople = Callable[[int], list[User]]


@pytest.fixture
def make_people(db: None) -> MakePeople:
    """make_people(50) gives so many people."""

    def make(many: int) -> list[User]:
        rows = [User(phone=f"+86139{number:08}", nickname=f"Diner {number}") for number in range(many)]
        return User.objects.bulk_create(rows)

    return make
