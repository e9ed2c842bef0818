"""Chats for tests."""

import pytest

from apps.accounts.models import User
from apps.chat import chats
from apps.chat.models import Chat


@pytest.fixture
def chat_of_two(alice: User, bob: User) -> Chat:
    """The chat of Alice and Bob."""
    return chats.open_with(alice.pk, bob.pk)


@pytest.fixture
def group(alice: User, bob: User) -> Chat:
    """A group of Alice and Bob: its first line says that Alice opened it."""
    return chats.create_group(alice.pk, [bob.pk], "Hotpot on Friday")
