"""Copies of mailboxes in Redis: who may fill one, how long it lives, and that none outlives a change."""

import pytest
from django.db import transaction
from redis import Redis

from apps.accounts.models import User
from apps.mailbox import copies, listing, notifications
from apps.mailbox.copies import NEWEST, Entry
from apps.mailbox.models import Notification
from apps.mailbox.notices import Kind, Notice
from apps.redis_kit.copies import LEASE_TTL
from tests.differences import find_differences
from tests.factories import UserFactory
from tests.races import Race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


#: A person whose newest notifications are copied.
PERSON = 7
COPY, LEASE = "savor:mailbox:{7}:newest", "savor:mailbox:{7}:newest-lease"


def entry(text: str) -> Entry:
    return Entry(1, 1, Kind.LIKE, "note", 1, text, 1, (2,), is_unread=True)


def test_a_filled_list_expires_and_uses_its_lease_up(guarded_redis: Redis) -> None:
    token = NEWEST.take_leases([PERSON])
    assert NEWEST.keys(PERSON) == (COPY, LEASE)
    assert 0 < guarded_redis.ttl(LEASE) <= LEASE_TTL.total_seconds()
    assert NEWEST.fill({PERSON: [entry("a")]}, token) == 1
    assert guarded_redis.lrange(COPY, 0, 0) == ["*"]
    assert NEWEST.read_copies([PERSON]) == {PERSON: [entry("a")]}
    assert 0 < guarded_redis.ttl(COPY) <= NEWEST.expiry_seconds
    assert not guarded_redis.exists(LEASE)
    assert NEWEST.fill({PERSON: [entry("b")]}, token) == 0
    assert NEWEST.read_copies([PERSON]) == {PERSON: [entry("a")]}


def test_a_change_refuses_what_was_read_before_it(guarded_redis: Redis) -> None:
    token = NEWEST.take_leases([PERSON])
    copies.publish([PERSON])
    assert NEWEST.fill({PERSON: []}, token) == 0
    assert NEWEST.fill({PERSON: []}, "") == 0
    assert not guarded_redis.exists(COPY)


def test_of_twenty_readers_the_last_to_take_the_lease_fills(race: Race) -> None:
    tokens = [NEWEST.take_leases([PERSON]) for _ in range(20)]
    filled = race(20, lambda number: NEWEST.fill({PERSON: [entry(f"{number}")]}, tokens[number]))
    assert filled == [0] * 19 + [1]
    assert NEWEST.read_copies([PERSON]) == {PERSON: [entry("19")]}


def test_readers_and_changes_at_once_leave_no_older_copy(alice: User, race: Race) -> None:
    fans = UserFactory.bulk_create(10)

    def act(number: int) -> None:
        if number >= 10:
            copies.count_unread(alice.pk)
            listing.fetch_page(alice.pk)
            return
        with transaction.atomic():
            notifications.notify(
                Notice(alice.pk, Kind.LIKE, actor_id=fans[number].pk, target_kind="note", target_id=number)
            )

    assert race(20, act) == [None] * 20
    assert copies.count_unread(alice.pk) == len(listing.fetch_page(alice.pk).entries) == 10
    assert find_differences("mailbox") == []


def test_an_emptied_redis_loses_no_notification(alice: User, guarded_redis: Redis, race: Race) -> None:
    fans = UserFactory.bulk_create(10)

    def act(number: int) -> None:
        with transaction.atomic():
            notifications.notify(
                Notice(alice.pk, Kind.LIKE, actor_id=fans[number].pk, target_kind="note", target_id=number)
            )
        copies.count_unread(alice.pk)
        if number % 3 == 0:
            guarded_redis.flushall()

    assert race(10, act) == [None] * 10
    guarded_redis.flushall()
    assert copies.HEADS.rebuild(lambda _done, _total: None) == 1
    assert copies.count_unread(alice.pk) == Notification.objects.unread().count() == 10
    assert [entry.target_id for entry in listing.fetch_page(alice.pk).entries] == [
        *Notification.objects.order_by("-latest_at", "-pk").values_list("target_id", flat=True)
    ]
    assert find_differences("mailbox") == []
