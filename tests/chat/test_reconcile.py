"""Reconciling chats: what a crash can leave is found and repaired."""

import pytest
from redis import Redis

from apps.accounts.models import User
from apps.chat import keys, messages
from apps.chat.models import Chat, Member
from tests.differences import find_differences
from tests.factories import MessageFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_sound_chat_has_no_differences(chat_of_two: Chat, group: Chat, alice: User) -> None:
    messages.post(alice.pk, chat_of_two.pk, "Hello")
    assert find_differences("chat") == []


def test_a_message_that_nobody_was_told_is_told(chat_of_two: Chat, alice: User, guarded_redis: Redis) -> None:
    messages.post(alice.pk, chat_of_two.pk, "Hello")
    MessageFactory.create(chat=chat_of_two, number=2, author=alice)
    Chat.objects.filter(pk=chat_of_two.pk).update(last_number=2)
    assert [found.aspect for found in find_differences("chat", fix=True)] == ["told"]
    assert guarded_redis.xlen(keys.EVENTS(chat=chat_of_two.pk)) == 2
    assert find_differences("chat") == []


@pytest.mark.both_databases
def test_a_wrong_last_number_and_an_empty_chat_are_repaired(
    chat_of_two: Chat, group: Chat, alice: User
) -> None:
    messages.post(alice.pk, chat_of_two.pk, "Hello")
    Chat.objects.filter(pk=chat_of_two.pk).update(last_number=5)
    Member.objects.filter(chat=group).delete()
    found = {(each.owner, each.aspect) for each in find_differences("chat", fix=True)}
    assert found >= {(f"chat {chat_of_two.pk}", "numbers"), (f"chat {group.pk}", "members")}
    assert find_differences("chat") == []
    assert messages.post(alice.pk, chat_of_two.pk, "Hello").number == 2
