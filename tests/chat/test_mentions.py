"""Mentions in messages: who is linked, who is told, and what the list of notifications shows of it."""

from typing import Any

import factory
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from redis import Redis

from apps.accounts.models import User
from apps.accounts.relations import blocks, contacts
from apps.chat import chats, members, messages, pages, schemas, unread
from apps.chat.models import Chat, Message
from apps.mailbox.models import Notification
from apps.mailbox.notices import Kind
from tests.coupons import buyers
from tests.factories import MessageFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def told(kind: str = Kind.MENTION) -> list[int]:
    return sorted(Notification.objects.filter(kind=kind).values_list("recipient_id", flat=True))


def mentioned(message: Message) -> list[Any]:
    return [person["id"] for person in schemas.build_message(message)["mentioned"]]


def test_a_mentioned_member_is_linked_told_once_and_becomes_a_contact(
    group: Chat, alice: User, bob: User
) -> None:
    sent = messages.post(alice.pk, group.pk, "@Bob and @Bob again", client_id="a")
    assert mentioned(sent) == [bob.pk]
    assert mentioned(messages.history(bob.pk, group.pk)[-1]) == [bob.pk]
    assert mentioned(unread.pending(bob.pk)[0].messages[-1]) == [bob.pk]
    assert told() == [bob.pk]
    assert contacts.recent(alice.pk) == [bob.pk]
    page = buyers.browser_client(bob).get(f"/chats/{group.pk}/").text
    assert f'<a class="mention" href="/people/{bob.pk}/">@Bob</a>' in page


def test_nobody_outside_the_chat_and_nobody_apart_is_linked(
    group: Chat, alice: User, bob: User, charlie: User
) -> None:
    blocks.block(bob.pk, alice.pk)
    sent = messages.post(alice.pk, group.pk, "@Bob @Charlie", mention_ids=[bob.pk, charlie.pk])
    assert (mentioned(sent), told()) == ([], [])


@pytest.mark.both_databases
def test_who_muted_the_chat_is_linked_and_not_told(group: Chat, alice: User, bob: User) -> None:
    chats.mute(bob.pk, group.pk, True)
    assert mentioned(messages.post(alice.pk, group.pk, "@Bob")) == [bob.pk]
    assert told() == []


@pytest.mark.both_databases
def test_a_deleted_message_takes_its_mention_back(group: Chat, alice: User, bob: User) -> None:
    sent = messages.post(alice.pk, group.pk, "@Bob")
    messages.delete(alice.pk, group.pk, sent.number)
    assert told() == []
    assert mentioned(messages.history(bob.pk, group.pk)[-1]) == []


def test_the_picked_one_of_two_of_one_name_is_meant(group: Chat, alice: User, bob: User) -> None:
    other = UserFactory.create(nickname="Bob")
    members.invite(alice.pk, group.pk, [other.pk])
    sent = messages.post(alice.pk, group.pk, "@Bob", mention_ids=[other.pk])
    assert mentioned(sent) == [other.pk]


def test_a_page_of_messages_with_mentions_costs_one_query_more(group: Chat, alice: User) -> None:
    counts = []
    for text in ("plain", "@Bob", "@Bob"):
        messages.post(alice.pk, group.pk, text)
        with CaptureQueriesContext(connection) as captured:
            messages.history(alice.pk, group.pk)
        counts.append(len(captured))
    assert counts == [counts[0], counts[0] + 1, counts[0] + 1]


def test_writing_to_a_person_makes_them_the_newest_contact(
    chat_of_two: Chat, group: Chat, alice: User, bob: User, charlie: User, guarded_redis: Redis
) -> None:
    contacts.touch(alice.pk, charlie.pk)
    messages.post(alice.pk, group.pk, "To all")
    assert contacts.recent(alice.pk)[0] == charlie.pk
    guarded_redis.script_flush()
    for _ in range(2):
        messages.post(alice.pk, chat_of_two.pk, "To Bob")
        assert contacts.recent(alice.pk) == [bob.pk, charlie.pk]


@pytest.mark.both_databases
def test_suggestions_in_a_chat_begin_with_its_members(
    group: Chat, alice: User, bob: User, charlie: User
) -> None:
    contacts.touch(alice.pk, charlie.pk)

    def names(user: User, **params: Any) -> list[str]:
        sent = {"kind": "contacts", "q": "", **params}
        found = buyers.browser_client(user).get("/api/suggest", sent).json()
        return [line["name"] for line in found["items"]]

    assert names(alice, chat=group.pk) == ["Bob", "Charlie"]
    assert names(alice, chat=group.pk, q="bo")[0] == "Bob"
    assert names(alice) == ["Charlie"]
    # Whoever is not in the chat learns nothing of it.
    assert names(charlie, chat=group.pk) == names(charlie) == []


def test_a_form_sends_the_picked_people_and_its_field_asks_for_members(
    group: Chat, alice: User, bob: User
) -> None:
    mine = buyers.browser_client(alice)
    assert f"kind=contacts&amp;chat={group.pk}" in mine.get(f"/chats/{group.pk}/").text
    mine.post(f"/chats/{group.pk}/messages/", {"text": "@Bob", "mention": [bob.pk, "x"]})
    assert told() == [bob.pk]


def test_an_invitation_is_a_notification_that_opens_the_chat(
    group: Chat, alice: User, bob: User, charlie: User
) -> None:
    assert told(Kind.CHAT) == [bob.pk]
    members.invite(alice.pk, group.pk, [charlie.pk])
    assert told(Kind.CHAT) == sorted([bob.pk, charlie.pk])
    his = buyers.browser_client(charlie)
    page = his.get("/notifications/").text
    assert "invited you to" in page
    assert "Hotpot on Friday" in page
    found = Notification.objects.get(recipient=charlie)
    assert his.get(f"/notifications/{found.pk}/")["Location"] == f"/chats/{group.pk}/"
    members.leave(charlie.pk, group.pk)
    assert told(Kind.CHAT) == [bob.pk]


@pytest.mark.both_databases
def test_invitations_of_more_people_cost_as_many_queries(alice: User) -> None:
    first, *people = UserFactory.bulk_create(31)
    group = chats.create_group(alice.pk, [first.pk], "All")
    counts = []
    for some in (people[:2], people[2:]):
        with CaptureQueriesContext(connection) as captured:
            members.invite(alice.pk, group.pk, [person.pk for person in some])
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.both_databases
def test_a_mention_leads_to_its_message_for_those_who_may_read_it(
    group: Chat, chat_of_two: Chat, alice: User, bob: User, charlie: User
) -> None:
    old = messages.post(alice.pk, group.pk, "@Bob")
    MessageFactory.bulk_create(37, chat=group, author=alice, number=factory.Iterator(range(3, 40)))
    Chat.objects.filter(pk=group.pk).update(last_number=39)
    new = messages.post(alice.pk, group.pk, "@Bob")
    in_pair = messages.post(alice.pk, chat_of_two.pk, "@Bob")
    source = pages.MessageTargets()
    ids = [old.pk, new.pk, in_pair.pk]
    found = source.load(ids, bob.pk)
    assert [(found[pk].title, found[pk].url) for pk in ids] == [
        ("Hotpot on Friday", f"/chats/{group.pk}/?before=3#m-2"),
        ("Hotpot on Friday", f"/chats/{group.pk}/#m-40"),
        ("Alice", f"/chats/{chat_of_two.pk}/#m-1"),
    ]
    assert source.load(ids, charlie.pk) == {}
    members.invite(alice.pk, group.pk, [charlie.pk])
    assert source.load(ids, charlie.pk) == {}


def test_a_group_without_a_name_has_the_number_of_its_members(alice: User, bob: User) -> None:
    group = chats.create_group(alice.pk, [bob.pk, UserFactory.create().pk])
    found = pages.ChatTargets().load([group.pk], bob.pk)
    assert found[group.pk].title == "a group of 3 people"
