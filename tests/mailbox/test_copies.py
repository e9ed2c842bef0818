"""Copies of mailboxes in Redis: who may fill one, how long it lives, and that none outlives a change."""

import pytest
from django.db import transaction
from redis import Redis

from apps.accounts.models import User
from apps.mailbox import listing, notifications, reconcile
from apps.mailbox.copies import changes, complete_lists, unread
from apps.mailbox.copies.complete_lists import Copy
from apps.mailbox.kinds import Kind
from apps.mailbox.models import Notification
from tests.factories import UserFactory
from tests.races import Race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def copy(guarded_redis: Redis) -> Copy:
    """The newest notifications of somebody."""
    return changes.newest_copy(7)


def test_a_filled_list_expires_and_uses_its_lease_up(copy: Copy, guarded_redis: Redis) -> None:
    token = complete_lists.take_leases([copy])
    assert 0 < guarded_redis.ttl(copy.lease) <= complete_lists.LEASE_TTL.total_seconds()
    assert complete_lists.fill({copy: ["*", "a"]}, token) == 1
    assert guarded_redis.lrange(copy.key, 0, -1) == ["*", "a"]
    assert 0 < guarded_redis.ttl(copy.key) <= complete_lists.COPY_TTL.total_seconds()
    assert not guarded_redis.exists(copy.lease)
    assert complete_lists.fill({copy: ["*", "b"]}, token) == 0
    assert guarded_redis.lrange(copy.key, 0, -1) == ["*", "a"]


def test_a_change_refuses_what_was_read_before_it(copy: Copy, guarded_redis: Redis) -> None:
    token = complete_lists.take_leases([copy])
    changes.publish([7])
    assert complete_lists.fill({copy: ["*"]}, token) == 0
    assert complete_lists.fill({copy: ["*"]}, "") == 0
    assert not guarded_redis.exists(copy.key)


def test_of_twenty_readers_the_last_to_take_the_lease_fills(
    copy: Copy, guarded_redis: Redis, race: Race
) -> None:
    tokens = [complete_lists.take_leases([copy]) for _ in range(20)]
    filled = race(20, lambda number: complete_lists.fill({copy: ["*", f"{number}"]}, tokens[number]))
    assert filled == [0] * 19 + [1]
    assert guarded_redis.lrange(copy.key, 0, -1) == ["*", "19"]


def test_readers_and_changes_at_once_leave_no_older_copy(alice: User, race: Race) -> None:
    fans = UserFactory.bulk_create(10)

    def act(number: int) -> None:
        if number >= 10:
            unread.count(alice.pk)
            listing.fetch_page(alice.pk)
            return
        with transaction.atomic():
            notifications.notify(
                alice.pk, Kind.LIKE, actor_id=fans[number].pk, target_kind="note", target_id=number
            )

    assert race(20, act) == [None] * 20
    assert unread.count(alice.pk) == len(listing.fetch_page(alice.pk).entries) == 10
    assert list(reconcile.drift()) == []


def test_an_emptied_redis_loses_no_notification(alice: User, guarded_redis: Redis, race: Race) -> None:
    fans = UserFactory.bulk_create(10)

    def act(number: int) -> None:
        with transaction.atomic():
            notifications.notify(
                alice.pk, Kind.LIKE, actor_id=fans[number].pk, target_kind="note", target_id=number
            )
        unread.count(alice.pk)
        if number % 3 == 0:
            guarded_redis.flushall()

    assert race(10, act) == [None] * 10
    guarded_redis.flushall()
    assert unread.rebuild(lambda _done, _total: None) == 1
    assert unread.count(alice.pk) == Notification.objects.unread().count() == 10
    assert [entry.target_id for entry in listing.fetch_page(alice.pk).entries] == [
        *Notification.objects.order_by("-latest_at", "-pk").values_list("target_id", flat=True)
    ]
    assert list(reconcile.drift()) == []
