"""Messages: numbers, repeats, limits, deletions, and who may send one."""

from datetime import timedelta
from typing import Any

import factory
import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis import Redis

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.chat import chats, keys, limits, members, messages, publishing
from apps.chat.models import Chat, Member, Message
from apps.follows import graph
from apps.redis_kit import limiter
from apps.web.problems import Problem
from tests.factories import MessageFactory, PictureFactory, UserFactory
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)


def told_ids(redis: Redis, chat: Chat) -> list[str]:
    entries: Any = redis.xrange(keys.EVENTS(chat=chat.pk))
    return [entry_id for entry_id, _fields in entries]


def post_many(chat: Chat, user: User, count: int) -> list[int]:
    return [messages.post(user.pk, chat.pk, f"{number}").number for number in range(count)]


@pytest.mark.both_databases
def test_messages_have_dense_numbers_and_history_goes_both_ways(
    chat_of_two: Chat, alice: User, bob: User
) -> None:
    assert post_many(chat_of_two, alice, 3) + post_many(chat_of_two, bob, 2) == [1, 2, 3, 4, 5]
    assert [message.number for message in messages.history(bob.pk, chat_of_two.pk, size=2)] == [4, 5]
    assert [message.number for message in messages.history(bob.pk, chat_of_two.pk, before=4, size=2)] == [
        2,
        3,
    ]
    assert [message.number for message in messages.history(bob.pk, chat_of_two.pk, after=1, size=2)] == [2, 3]


def test_a_message_sent_twice_is_one(chat_of_two: Chat, alice: User, bob: User) -> None:
    first = messages.post(alice.pk, chat_of_two.pk, "Hello", client_id="a")
    again = messages.post(alice.pk, chat_of_two.pk, "Hello, changed", client_id="a")
    assert (again.pk, again.text) == (first.pk, "Hello")
    assert messages.post(bob.pk, chat_of_two.pk, "Hello", client_id="a").number == 2


@pytest.mark.both_databases
def test_one_request_sent_twenty_times_at_once_is_one_message(
    chat_of_two: Chat, alice: User, race: Race
) -> None:
    numbers = race(20, lambda _: messages.post(alice.pk, chat_of_two.pk, "Hello", client_id="a").number)
    assert numbers == [1] * 20
    chat_of_two.refresh_from_db()
    assert chat_of_two.last_number == Message.objects.filter(chat=chat_of_two).count() == 1


@pytest.mark.one_server("trips to it are counted")
def test_a_message_costs_five_statements_and_two_round_trips(
    chat_of_two: Chat, alice: User, round_trips: list[object]
) -> None:
    messages.post(alice.pk, chat_of_two.pk, "warm")
    round_trips.clear()
    with CaptureQueriesContext(connection) as captured:
        messages.post(alice.pk, chat_of_two.pk, "Hello", client_id="a")
    statements = [query["sql"] for query in captured if not query["sql"].startswith(("BEGIN", "COMMIT"))]
    assert len(statements) == 5
    assert len(round_trips) == 2


@pytest.mark.both_databases
def test_nothing_to_read_is_refused(chat_of_two: Chat, alice: User) -> None:
    for text in ("", " \n", "\u200b", "a\x00b", "x" * 4001):
        with pytest.raises(ValidationError):
            messages.post(alice.pk, chat_of_two.pk, text)


def test_strangers_and_people_who_left_find_no_chat(group: Chat, bob: User, charlie: User) -> None:
    members.leave(bob.pk, group.pk)
    for user_id, chat_id in ((charlie.pk, group.pk), (bob.pk, group.pk), (bob.pk, 2**40)):
        for act in (messages.history, members.list_members, chats.get_mine):
            with pytest.raises(Problem, match="not_found"):
                act(user_id, chat_id)
        with pytest.raises(Problem, match="not_found"):
            messages.post(user_id, chat_id, "Hello")


def test_nobody_writes_across_a_block(chat_of_two: Chat, alice: User, bob: User) -> None:
    blocks.block(bob.pk, alice.pk)
    for user in (alice, bob):
        with pytest.raises(Problem, match="blocked"):
            messages.post(user.pk, chat_of_two.pk, "Hello")


def test_a_stranger_sends_twenty_messages_a_minute(chat_of_two: Chat, alice: User, bob: User) -> None:
    post_many(chat_of_two, alice, 20)
    with pytest.raises(Problem, match="too_many_requests"):
        messages.post(alice.pk, chat_of_two.pk, "one more")
    graph.follow(bob.pk, alice.pk)
    assert messages.post(alice.pk, chat_of_two.pk, "one more").number == 21


def test_without_redis_a_message_is_sent(chat_of_two: Chat, alice: User, redis_away: None) -> None:
    assert messages.post(alice.pk, chat_of_two.pk, "Hello").number == 1


def test_an_own_message_can_be_deleted_for_ten_minutes(chat_of_two: Chat, alice: User, bob: User) -> None:
    post_many(chat_of_two, alice, 2)
    messages.delete(alice.pk, chat_of_two.pk, 1)
    messages.delete(alice.pk, chat_of_two.pk, 1)
    gone = messages.history(bob.pk, chat_of_two.pk)[0]
    assert (gone.number, gone.text, gone.is_gone) == (1, "", True)
    with pytest.raises(Problem, match="not_found"):
        messages.delete(bob.pk, chat_of_two.pk, 2)
    Message.objects.filter(number=2).update(created_at=timezone.now() - timedelta(minutes=11))
    with pytest.raises(Problem, match="too_late"):
        messages.delete(alice.pk, chat_of_two.pk, 2)


def test_a_message_shows_a_picture_of_its_sender_once(chat_of_two: Chat, alice: User, bob: User) -> None:
    picture = PictureFactory.create(owner=alice)
    with pytest.raises(ValidationError):
        messages.post(bob.pk, chat_of_two.pk, picture_id=picture.pk)
    assert messages.post(alice.pk, chat_of_two.pk, picture_id=picture.pk).picture == picture
    with pytest.raises(ValidationError):
        messages.post(alice.pk, chat_of_two.pk, picture_id=picture.pk)


@pytest.mark.both_databases
def test_a_card_needs_something_to_show(chat_of_two: Chat, alice: User) -> None:
    for kind in ("note", "shop", "sale", "person"):
        with pytest.raises(ValidationError):
            messages.post(alice.pk, chat_of_two.pk, card=messages.Card(kind, 2**40))


def test_the_stream_of_a_chat_has_its_numbers_and_expires(
    chat_of_two: Chat, alice: User, guarded_redis: Redis
) -> None:
    post_many(chat_of_two, alice, 3)
    key = keys.EVENTS(chat=chat_of_two.pk)
    assert told_ids(guarded_redis, chat_of_two) == ["1-0", "2-0", "3-0"]
    messages.delete(alice.pk, chat_of_two.pk, 2)
    assert post_many(chat_of_two, alice, 1) == [4]
    ids = told_ids(guarded_redis, chat_of_two)
    # A change stands between the messages.
    assert ids == ["1-0", "2-0", "3-0", "3-1", "4-0"]
    assert 0 < guarded_redis.ttl(key) <= 20 * 60


def test_who_comes_first_tells_for_those_it_overtook(
    chat_of_two: Chat, alice: User, guarded_redis: Redis
) -> None:
    post_many(chat_of_two, alice, 1)
    rows = MessageFactory.bulk_create(3, chat=chat_of_two, author=alice, number=factory.Iterator((2, 3, 4)))
    for message in (rows[2], rows[0], rows[1]):
        publishing.publish(message, is_alone=False)
    assert told_ids(guarded_redis, chat_of_two) == [*("1-0", "2-0", "3-0", "4-0")]


def test_a_flushed_redis_goes_on_with_the_last_messages(
    chat_of_two: Chat, alice: User, guarded_redis: Redis
) -> None:
    post_many(chat_of_two, alice, 3)
    guarded_redis.flushall()
    post_many(chat_of_two, alice, 1)
    assert told_ids(guarded_redis, chat_of_two)[-1] == "4-0"
    assert Member.objects.count() == 2
    assert limiter.peek([(limits.MESSAGES, alice.pk)]).allowed


@pytest.mark.both_databases
def test_fifty_senders_at_once_leave_no_hole_and_no_double(
    alice: User, race: Race, guarded_redis: Redis
) -> None:
    people = UserFactory.bulk_create(50)
    group = chats.create_group(alice.pk, [person.pk for person in people], "All")

    def send(number: int) -> list[int]:
        return [messages.post(people[number].pk, group.pk, f"{turn}").number for turn in range(4)]

    sent: Any = race(50, send)
    assert sorted(number for some in sent for number in some) == list(range(2, 202))
    told = told_ids(guarded_redis, group)
    assert told == [f"{number}-0" for number in range(1, 202)]
