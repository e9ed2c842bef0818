"""Chats and their members: opening, inviting, leaving, unread counts, and what waits for a program."""

from datetime import timedelta
from typing import Any

import factory
import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.chat import chats, keys, members, messages, unread
from apps.chat.models import MAX_MEMBERS, Chat, Member, Message
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.factories import ChatFactory, MemberFactory, MessageFactory, UserFactory
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)


def pending_numbers(user: User) -> dict[int, list[int]]:
    return {chat.chat_id: [each.number for each in chat.messages] for chat in unread.pending(user.pk)}


def create_chats(member: User, count: int, **fields: Any) -> None:
    """So many chats of a person with a message in each, as they are in SQL."""
    made = ChatFactory.bulk_create(count, last_number=1, **fields)
    MemberFactory.bulk_create(count, chat=factory.Iterator(made), user=member)
    MessageFactory.bulk_create(count, chat=factory.Iterator(made))


@pytest.mark.both_databases
def test_two_people_have_one_chat_however_often_they_open_it(alice: User, bob: User, race: Race) -> None:
    pairs = [(alice.pk, bob.pk), (bob.pk, alice.pk)]
    opened: Any = race(8, lambda number: chats.open_with(*pairs[number % 2]))
    assert len({chat.pk for chat in opened}) == Chat.objects.count() == 1
    assert Member.objects.count() == 2


def test_a_chat_can_not_be_opened_with_oneself_or_across_a_block(alice: User, bob: User) -> None:
    with pytest.raises(Problem, match="own_account"):
        chats.open_with(alice.pk, alice.pk)
    blocks.block(alice.pk, bob.pk)
    with pytest.raises(Problem, match="blocked"):
        chats.open_with(bob.pk, alice.pk)
    with pytest.raises(Problem, match="blocked"):
        chats.create_group(bob.pk, [alice.pk])


def test_a_new_account_opens_five_chats_an_hour(alice: User) -> None:
    people = UserFactory.bulk_create(7)
    for person in people[:5]:
        chats.open_with(alice.pk, person.pk)
    with pytest.raises(Problem, match="too_many_requests"):
        chats.open_with(alice.pk, people[5].pk)
    chats.open_with(alice.pk, people[0].pk)
    User.objects.filter(pk=alice.pk).update(joined_at=timezone.now() - timedelta(days=2))
    chats.open_with(alice.pk, people[6].pk)


def test_unread_is_what_others_wrote_after_the_last_look(chat_of_two: Chat, alice: User, bob: User) -> None:
    for text in ("one", "two"):
        messages.post(bob.pk, chat_of_two.pk, text)
    messages.post(alice.pk, chat_of_two.pk, "mine")
    assert [chats.get_mine(user.pk, chat_of_two.pk).unread for user in (alice, bob)] == [2, 1]
    assert chats.count_unread(alice.pk) == 1
    unread.move_seen(alice.pk, chat_of_two.pk, 2)
    unread.move_seen(alice.pk, chat_of_two.pk, 1)
    assert (chats.get_mine(alice.pk, chat_of_two.pk).unread, chats.count_unread(alice.pk)) == (0, 0)
    with pytest.raises(Problem, match="invalid"):
        unread.move_seen(alice.pk, chat_of_two.pk, 4)


@pytest.mark.both_databases
@pytest.mark.parametrize("column", ["deleted_at", "hidden_at"])
def test_what_is_gone_is_not_unread(chat_of_two: Chat, alice: User, bob: User, column: str) -> None:
    for text in ("one", "two"):
        messages.post(bob.pk, chat_of_two.pk, text)
    Message.objects.filter(text="one").update(**{column: timezone.now()})
    assert (chats.get_mine(alice.pk, chat_of_two.pk).unread, chats.count_unread(alice.pk)) == (1, 1)
    Message.objects.filter(text="two").update(**{column: timezone.now()})
    assert (chats.get_mine(alice.pk, chat_of_two.pk).unread, chats.count_unread(alice.pk)) == (0, 0)


@pytest.mark.both_databases
def test_pending_leaves_out_what_was_seen_and_marks_nothing(
    chat_of_two: Chat, group: Chat, alice: User, bob: User
) -> None:
    for text in ("one", "two", "three"):
        messages.post(alice.pk, chat_of_two.pk, text)
    assert pending_numbers(bob) == {chat_of_two.pk: [1, 2, 3], group.pk: [1]}
    assert pending_numbers(bob) == {chat_of_two.pk: [1, 2, 3], group.pk: [1]}
    assert pending_numbers(alice) == {}
    unread.move_seen(bob.pk, chat_of_two.pk, 2)
    unread.move_seen(bob.pk, group.pk, 1)
    assert pending_numbers(bob) == {chat_of_two.pk: [3]}


@pytest.mark.both_databases
def test_in_a_group_people_apart_by_a_block_read_nothing_of_each_other(
    group: Chat, alice: User, bob: User, charlie: User
) -> None:
    members.invite(alice.pk, group.pk, [charlie.pk])
    unread.move_seen(alice.pk, group.pk, messages.post(bob.pk, group.pk, "Before").number)
    blocks.block(alice.pk, bob.pk)
    number = messages.post(bob.pk, group.pk, "After").number
    mine, outside = buyers.api_client(alice), buyers.api_client(charlie)
    sent = [
        {row["number"]: row for row in api.get(f"/api/chats/{group.pk}/messages").json()["items"]}
        for api in (mine, outside)
    ]
    assert [(rows[number]["text"], rows[number]["blocked"]) for rows in sent] == [
        ("", True),
        ("After", False),
    ]
    assert ("After" in buyers.browser_client(alice).get(f"/chats/{group.pk}/").text) is False
    row = chats.get_mine(alice.pk, group.pk)
    assert (row.unread, row.last and row.last.is_withheld, chats.count_unread(alice.pk)) == (0, True, 0)
    assert pending_numbers(alice) == {}
    messages.post(charlie.pk, group.pk, "And then")
    assert (chats.get_mine(alice.pk, group.pk).unread, pending_numbers(alice)) == (
        1,
        {group.pk: [number + 1]},
    )
    blocks.unblock(alice.pk, bob.pk)
    assert mine.get(f"/api/chats/{group.pk}/messages").json()["items"][-2]["text"] == "After"


@pytest.mark.both_databases
def test_pending_of_two_hundred_chats_is_two_queries(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    partners = UserFactory.bulk_create(200)
    create_chats(alice, 200, pair=factory.Iterator(f"{alice.pk}:{partner.pk}" for partner in partners))
    with django_assert_num_queries(2):
        assert len(unread.pending(alice.pk)) == 200


def test_a_new_member_sees_nothing_from_before(group: Chat, alice: User, charlie: User) -> None:
    messages.post(alice.pk, group.pk, "before")
    members.invite(alice.pk, group.pk, [charlie.pk, alice.pk])
    messages.post(alice.pk, group.pk, "after")
    found = messages.history(charlie.pk, group.pk)
    assert [(message.number, message.kind) for message in found] == [(3, "joined"), (4, "text")]
    assert found[0].subject == charlie
    assert pending_numbers(charlie) == {group.pk: [3, 4]}


def test_only_members_invite_and_nobody_into_a_chat_of_two(
    chat_of_two: Chat, group: Chat, alice: User, charlie: User
) -> None:
    with pytest.raises(Problem, match="not_found"):
        members.invite(charlie.pk, group.pk, [charlie.pk])
    with pytest.raises(Problem, match="not_a_group"):
        members.invite(alice.pk, chat_of_two.pk, [charlie.pk])
    with pytest.raises(Problem, match="not_found"):
        members.invite(alice.pk, group.pk, [2**40])
    with pytest.raises(Problem, match="too_many_members"):
        members.invite(alice.pk, group.pk, list(range(1, MAX_MEMBERS + 5)))


def test_the_last_to_leave_frees_everything(
    group: Chat, alice: User, bob: User, guarded_redis: Redis
) -> None:
    messages.post(alice.pk, group.pk, "Hello")
    members.leave(alice.pk, group.pk)
    assert [message.kind for message in messages.history(bob.pk, group.pk)] == ["joined", "text", "left"]
    members.leave(bob.pk, group.pk)
    assert not Chat.objects.exists()
    assert not Message.objects.exists()
    assert not guarded_redis.exists(keys.EVENTS(chat=group.pk))


@pytest.mark.both_databases
def test_all_who_leave_at_once_free_everything(alice: User, race: Race) -> None:
    people = UserFactory.bulk_create(10)
    group = chats.create_group(alice.pk, [person.pk for person in people])
    everybody = [alice, *people]
    race(11, lambda number: members.leave(everybody[number].pk, group.pk))
    assert not Chat.objects.exists()
    assert not Member.objects.exists()


@pytest.mark.both_databases
def test_who_left_a_chat_of_two_is_back_with_the_next_message(
    chat_of_two: Chat, alice: User, bob: User
) -> None:
    messages.post(alice.pk, chat_of_two.pk, "before")
    members.leave(bob.pk, chat_of_two.pk)
    messages.post(alice.pk, chat_of_two.pk, "after")
    assert [message.text for message in messages.history(bob.pk, chat_of_two.pk)] == ["after"]
    assert chats.get_mine(bob.pk, chat_of_two.pk).unread == 1
    members.leave(alice.pk, chat_of_two.pk)
    assert chats.open_with(alice.pk, bob.pk) == chat_of_two
    assert messages.history(alice.pk, chat_of_two.pk) == []


@pytest.mark.both_databases
def test_a_member_has_exactly_what_was_sent_while_in_the_group(group: Chat, alice: User, race: Race) -> None:
    people = UserFactory.bulk_create(10)

    def act(number: int) -> object:
        if number < 10:
            return [messages.post(alice.pk, group.pk, f"{number}").number for _ in range(3)]
        members.invite(alice.pk, group.pk, [people[number - 10].pk])
        read = messages.history(people[number - 10].pk, group.pk, size=100)
        members.leave(people[number - 10].pk, group.pk)
        return [message.number for message in read]

    User.objects.filter(pk=alice.pk).update(joined_at=timezone.now() - timedelta(days=2))
    found: Any = race(20, act)
    for numbers in found[10:]:
        # From its own line on, without a hole.
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    group.refresh_from_db()
    everything = messages.history(alice.pk, group.pk, size=100)
    assert [message.number for message in everything] == list(range(1, group.last_number + 1))
    assert len([message for message in everything if message.kind == "text"]) == 30


@pytest.mark.both_databases
def test_the_list_is_by_the_last_message_and_pages_on(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(joined_at=timezone.now() - timedelta(days=2))
    people = UserFactory.bulk_create(23)
    for person in people:
        chat = chats.open_with(alice.pk, person.pk)
        messages.post(person.pk, chat.pk, "Hello")
    first = chats.list_mine(alice.pk)
    rest = chats.list_mine(alice.pk, first.next or "")
    shown = [row.partner for row in (*first.items, *rest.items)]
    assert shown == people[::-1]
    assert rest.next is None
    name = people[22].nickname
    assert [row.title for row in chats.list_mine(alice.pk, words=name[2:]).items] == [name]
    with pytest.raises(Problem, match="bad_cursor"):
        chats.list_mine(alice.pk, "forged")


def test_a_list_of_twenty_chats_costs_as_many_queries_as_one(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for count in (1, 20):
        create_chats(alice, count)
        with django_assert_num_queries(4):
            chats.list_mine(alice.pk)


@pytest.mark.both_databases
def test_a_group_has_a_name_and_a_muted_one_counts_nothing(group: Chat, alice: User, bob: User) -> None:
    chats.rename(alice.pk, group.pk, "Dumplings")
    row = chats.get_mine(bob.pk, group.pk)
    assert (row.title, row.last and row.last.text) == ("Dumplings", "Dumplings")
    assert chats.count_unread(bob.pk) == 1
    chats.mute(bob.pk, group.pk, True)
    assert chats.count_unread(bob.pk) == 0
