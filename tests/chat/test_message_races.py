"""Many senders and readers at once, also while Redis is emptied: no gap, no double, nothing lost."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone
from redis import Redis

from apps.accounts.models import User
from apps.chat import chats, keys, limits, members, messages, unread
from apps.chat.models import Chat, Message
from apps.redis_kit import limiter
from tests.differences import find_differences
from tests.factories import UserFactory
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)
MAX_STREAM_IDS = 256
#: How often a reader looks before leaving.
LOOKS = 3


def post_many(user: User, chat: Chat, count: int) -> list[int]:
    """The numbers of so many messages; the limit of one person in a minute is not what is tested."""
    limiter.reset(limits.MESSAGES, user.pk)
    return [messages.post(user.pk, chat.pk, f"{user.pk} {turn}").number for turn in range(count)]


def read_stint(inviter: User, reader: User, chat: Chat, wait: Callable[[], object]) -> list[Message]:
    """Everything that a person reads from an invitation to leaving; wait() comes before each look."""
    members.invite(inviter.pk, chat.pk, [reader.pk])
    read: list[Message] = []
    for _look in range(LOOKS):
        wait()
        while page := messages.history(reader.pk, chat.pk, after=read[-1].number if read else 0, size=100):
            read += page
    members.leave(reader.pk, chat.pk)
    return read


class Crowd:
    """Senders, and readers who join and leave, in one chat.

    A reader looks when somebody has sent fifty messages.
    """

    def __init__(self, chat: Chat, senders: Sequence[User], readers: Sequence[User]) -> None:
        self.chat, self.senders, self.readers = chat, senders, readers
        self.ticks = [threading.Semaphore(0) for _ in readers]
        self.done: list[int] = []

    @property
    def is_over(self) -> bool:
        return len(self.done) == len(self.senders)

    def act(self, number: int) -> Any:
        """What a thread does: the numbers that it sent, or the stints of a reader."""
        many = len(self.senders)
        return self.send(number) if number < many else self.come_and_go(number - many)

    def send(self, number: int) -> list[int]:
        """Send 200 messages, and return their numbers."""
        numbers = []
        for _part in range(4):
            numbers += post_many(self.senders[number], self.chat, 50)
            self.ticks[number % len(self.ticks)].release()
        self.done.append(number)
        for tick in self.ticks:
            tick.release()
        return numbers

    def come_and_go(self, number: int) -> list[list[Message]]:
        """Be invited, read and leave until all is sent."""
        stints = list[list[Message]]()
        while not self.is_over:
            wait = partial(self.wait, number)
            stints.append(read_stint(self.senders[number], self.readers[number], self.chat, wait))
        return stints

    def wait(self, number: int) -> None:
        """Wait for news."""
        if not self.is_over:
            self.ticks[number].acquire()


@pytest.mark.long
def test_every_member_has_exactly_what_fifty_senders_wrote_meanwhile(
    alice: User, race: Race, guarded_redis: Redis
) -> None:
    everybody = UserFactory.bulk_create(61)
    User.objects.update(joined_at=timezone.now() - timedelta(days=2))
    senders, readers, stayer = everybody[:50], everybody[50:60], everybody[60]
    chat = chats.create_group(alice.pk, [each.pk for each in (*senders, stayer)], "All")
    answers: Any = race(60, Crowd(chat, senders, readers).act)
    chat.refresh_from_db()
    last, rows = chat.last_number, list(Message.objects.filter(chat=chat).order_by("number"))
    assert [row.number for row in rows] == list(range(1, last + 1))
    written = {number for numbers in answers[:50] for number in numbers}
    assert written == {row.number for row in rows if row.kind == Message.Kind.TEXT}
    assert len(written) == 50 * 200
    for person, stints in zip(readers, answers[50:], strict=True):
        check_stints(person, stints, rows)
    assert read_pending(stayer, chat) == list(range(1, last + 1))
    told: Any = guarded_redis.xrange(keys.EVENTS(chat=chat.pk))
    kept = range(last - MAX_STREAM_IDS + 1, last + 1)
    assert [entry_id for entry_id, _fields in told] == [f"{number}-0" for number in kept]
    assert find_differences("chat") == []


def check_stints(person: User, stints: list[list[Message]], rows: list[Message]) -> None:
    """Each time a reader had every message from their own line on, as it is in the chat."""
    assert stints
    for stint in stints:
        assert (stint[0].kind, stint[0].subject_id) == (Message.Kind.JOINED, person.pk)
        expected = rows[stint[0].number - 1 : stint[-1].number]
        assert [(row.number, row.text, row.author_id) for row in stint] == [
            (row.number, row.text, row.author_id) for row in expected
        ]


def read_pending(person: User, chat: Chat) -> list[int]:
    """The numbers that a program reads that says after each part that it has it."""
    read: list[int] = []
    while news := unread.pending(person.pk):
        read += [row.number for row in news[0].messages]
        unread.move_seen(person.pk, chat.pk, read[-1])
    return read


@pytest.mark.both_databases
def test_an_emptied_redis_in_the_middle_loses_no_message(
    alice: User, race: Race, guarded_redis: Redis
) -> None:
    people = UserFactory.bulk_create(11)
    chat = chats.create_group(alice.pk, [person.pk for person in people], "All")

    def act(number: int) -> list[int]:
        if number == 10:
            for _ in range(5):
                messages.post(people[10].pk, chat.pk, "and empty it")
                guarded_redis.flushall()
            return []
        return post_many(people[number], chat, 10)

    answers: Any = race(11, act)
    rows = Message.objects.filter(chat=chat, author__in=people[:10])
    assert sorted(number for numbers in answers for number in numbers) == [
        *rows.order_by("number").values_list("number", flat=True)
    ]
    assert rows.count() == 100
    chat.refresh_from_db()
    everything = messages.history(alice.pk, chat.pk, after=0, size=200)
    assert [row.number for row in everything] == list(range(1, chat.last_number + 1))
    guarded_redis.flushall()
    assert [chats.get_mine(person.pk, chat.pk).unread for person in (alice, people[0])] == [
        chat.last_number - 1,
        chat.last_number - 10,
    ]
    find_differences("chat", fix=True)
    assert find_differences("chat") == []
