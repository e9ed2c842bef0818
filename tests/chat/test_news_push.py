"""Messages in browsers while the site is closed: one push for each chat, until its person has seen more."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.chat import chats, messages, publishing, unread
from apps.chat.models import Chat, Member
from apps.mailbox import vapid
from apps.mailbox.models import Preferences, PushSubscription
from apps.mailbox.notices import Delivery, Kind
from apps.mailbox.push import LIFETIME, NEWS_DELAY, build_payload
from apps.outbox.models import Channel, Message
from tests.factories import PushSubscriptionFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def key(settings: Settings) -> None:
    """The site has a key for pushes."""
    settings.VAPID_KEY = vapid.parse(vapid.make())


@pytest.fixture(autouse=True)
def subscription(bob: User) -> PushSubscription:
    """Bob's browser."""
    return PushSubscriptionFactory.create(login__user=bob, endpoint="https://push.example/bob")


def pushes() -> list[Message]:
    return list(Message.objects.filter(channel=Channel.PUSH).order_by("pk"))


def payload(push: Message) -> dict[str, Any] | None:
    """What the browser would show if the push left now."""
    return build_payload(*json.loads(push.text))


def test_one_push_for_a_chat_until_its_person_has_seen_more(
    chat_of_two: Chat, alice: User, bob: User, subscription: PushSubscription
) -> None:
    for text in ("Dumplings tonight?", "At six?"):
        messages.post(alice.pk, chat_of_two.pk, text)
    [push] = pushes()
    assert (push.to, "Dumplings" in push.text) == (str(subscription.pk), False)
    shown = payload(push)
    assert shown
    assert (shown["body"], shown["url"]) == ("New messages: Alice", f"/chats/{chat_of_two.pk}/")
    unread.move_seen(bob.pk, chat_of_two.pk, 2)
    assert payload(push) is None, "it was seen before the push left"
    messages.post(alice.pk, chat_of_two.pk, "Or seven?")
    assert len(pushes()) == 2


def test_a_push_speaks_its_readers_language_and_names_the_group(group: Chat, alice: User, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(language="zh-hans")
    messages.post(alice.pk, group.pk, "Hello")
    shown = payload(pushes()[-1])
    assert shown
    assert shown["body"] == "新消息：Hotpot on Friday"


def test_who_looks_mutes_blocks_or_wrote_it_gets_none(
    chat_of_two: Chat, group: Chat, alice: User, bob: User, charlie: User
) -> None:
    PushSubscriptionFactory.create(login__user=alice, endpoint="https://push.example/alice")
    Message.objects.filter(channel=Channel.PUSH).delete()
    Member.objects.filter(chat=chat_of_two, user=bob).update(is_muted=True)
    messages.post(alice.pk, chat_of_two.pk, "Hello")
    blocks.block(bob.pk, alice.pk)
    messages.post(alice.pk, group.pk, "Hello")
    assert pushes() == []
    Member.objects.filter(chat=chat_of_two, user=bob).update(is_muted=False)
    apart = chats.open_with(charlie.pk, bob.pk)
    messages.post(charlie.pk, apart.pk, "Hello")
    [push] = pushes()
    assert payload(push)
    Member.objects.filter(chat=apart, user=bob).update(is_muted=True)
    assert payload(push) is None


@pytest.mark.parametrize(("delivery", "number"), [(Delivery.OFF, 0), (Delivery.SITE, 1), (Delivery.SMS, 1)])
def test_a_person_may_switch_pushes_of_chats_off(
    chat_of_two: Chat, alice: User, bob: User, delivery: Delivery, number: int
) -> None:
    Preferences.objects.choose(bob.pk, {Kind.CHAT: delivery})
    messages.post(alice.pk, chat_of_two.pk, "Hello")
    assert len(pushes()) == number
    assert not Message.objects.exclude(channel=Channel.PUSH).exists()


def test_a_push_waits_for_who_looks_and_for_the_end_of_quiet_hours(
    chat_of_two: Chat, group: Chat, alice: User, bob: User
) -> None:
    with time_machine.travel(datetime(2026, 11, 27, 4, 0, tzinfo=UTC), tick=False):
        messages.post(alice.pk, chat_of_two.pk, "Hello")
        assert pushes()[-1].next_try_at == timezone.now() + NEWS_DELAY
        Preferences.objects.choose(bob.pk, {}, quiet_from=11, quiet_until=14)
        messages.post(alice.pk, group.pk, "Hello")
        push = pushes()[-1]
        assert push.next_try_at == timezone.now() + timedelta(hours=2), "14:00 in Shanghai"
        assert push.until == push.next_try_at + LIFETIME


def test_a_message_is_sent_without_a_key_and_without_a_broker(
    chat_of_two: Chat, alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OperationalError

    with monkeypatch.context() as broken:
        broken.setattr(publishing.push_news, "apply_async", refuse)
        messages.post(alice.pk, chat_of_two.pk, "Hello")
    settings.VAPID_KEY = None
    messages.post(alice.pk, chat_of_two.pk, "Hello again")
    assert pushes() == []
    assert [message.text for message in messages.history(alice.pk, chat_of_two.pk)] == [
        "Hello",
        "Hello again",
    ]
