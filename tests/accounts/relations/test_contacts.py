import pytest
import redis

from apps.accounts import keys
from apps.accounts.models import User
from apps.accounts.relations import blocks, contacts
from tests.races import Race


def test_the_newest_contact_comes_first_and_once(guarded_redis: redis.Redis) -> None:
    for other in (2, 3, 2, 1):
        contacts.touch(1, other)
    assert contacts.recent(1) == [2, 3]


def test_a_hundred_contacts_stay(guarded_redis: redis.Redis) -> None:
    for other in range(2, 110):
        contacts.touch(1, other)
    assert contacts.recent(1) == list(range(109, 9, -1))


def test_fifty_touches_at_once_keep_each_person_once(guarded_redis: redis.Redis, race: Race) -> None:
    race(50, lambda number: contacts.touch(1, 2 + number % 10))
    assert sorted(contacts.recent(1)) == list(range(2, 12))


def test_contacts_expire(guarded_redis: redis.Redis) -> None:
    contacts.touch(1, 2)
    ttl = contacts.TTL.total_seconds()
    assert ttl - 60 < guarded_redis.ttl(keys.CONTACTS(user=1)) <= ttl


@pytest.mark.django_db(transaction=True)
def test_a_block_takes_both_out_of_each_others_contacts(alice: User, bob: User) -> None:
    contacts.touch(alice.pk, bob.pk)
    contacts.touch(bob.pk, alice.pk)
    blocks.block(alice.pk, bob.pk)
    assert contacts.recent(alice.pk) == contacts.recent(bob.pk) == []


def test_without_redis_there_are_no_contacts(redis_away: None) -> None:
    contacts.touch(1, 2)
    contacts.forget(1, 2)
    assert contacts.recent(1) == []
