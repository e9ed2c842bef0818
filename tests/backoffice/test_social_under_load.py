"""Many people at once, and a Redis that is emptied under them: what is left agrees with the rows."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import pytest
import redis
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.blog import likes
from apps.blog.feed import feed
from apps.blog.models import Like, Note
from apps.demo import embedded_redis
from apps.follows import graph
from apps.follows.models import Follow
from apps.redis_kit import client, schema
from apps.signins import check_ins
from tests.blog import feed_makers
from tests.differences import find_differences
from tests.factories import UserFactory
from tests.races import race
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]
CHECKED_APPS = ("blog", "follows", "signins")
READS: list[Callable[[int], object]] = [feed.load_page, graph.followed_ids]
PEOPLE, NOTES, PARALLEL, STEPS = 10, 6, choose_rounds(40, long=200), 2


@pytest.fixture(autouse=True)
def long_sqlite_timeout(settings: Settings) -> Iterator[None]:
    """A busy machine is no lost Redis here."""
    settings.REDIS_CONNECTIONS = {
        name: options | {"deadline": 30.0} for name, options in settings.REDIS_CONNECTIONS.items()
    }
    client.close_all()
    yield
    client.close_all()


@pytest.fixture
def people(db: None) -> list[User]:
    """Everybody was here lately, so that a rebuild fills their inboxes."""
    made = UserFactory.bulk_create(PEOPLE)
    for person in made:
        tokens.issue(person, kind=AccessToken.Kind.API)
    return made


@pytest.fixture
def notes(people: list[User]) -> list[Note]:
    made = [feed_makers.publish(person, at=timezone.now()) for person in people[:NOTES]]
    find_differences("blog.scores", fix=True)
    return made


def read_everything(person: User, notes: list[Note]) -> None:
    """What a visit leaves in Redis: copies of likes, an inbox, a set."""
    graph.followed_ids(person.pk)
    feed.load_page(person.pk)
    likes.for_notes(list(Note.objects.published()), person.pk)
    for note in Note.objects.filter(pk__in=[one.pk for one in notes]):
        likes.for_note_page(note, person.pk)


def ignore_lock_errors(act: Callable[[], object]) -> None:
    """Who is told that the site is busy tries again."""
    for _ in range(50):
        with suppress(OperationalError):
            act()
            return


def do_random_act(chance: Random, people: list[User], notes: list[Note]) -> None:
    """Some taps of somebody in a hurry."""
    one, other = chance.sample(people, 2)
    note = chance.choice(notes)
    ignore_lock_errors(partial(chance.choice([likes.like, likes.unlike]), note.pk, one.pk))
    ignore_lock_errors(partial(chance.choice([graph.follow, graph.unfollow]), one.pk, other.pk))
    ignore_lock_errors(partial(chance.choice(READS), one.pk))


def test_a_storm_over_a_redis_that_is_emptied_leaves_no_drift(
    people: list[User], notes: list[Note], guarded_redis: redis.Redis
) -> None:
    for person in people:
        read_everything(person, notes)

    def storm(number: int) -> None:
        for step in range(STEPS):
            do_random_act(Random(STEPS * number + step), people, notes)
            if (number, step) == (PARALLEL // 2, 1):
                guarded_redis.flushall()

    assert [answer for answer in race(PARALLEL, storm) if answer] == []
    assert Like.objects.exists()
    assert Follow.objects.exists()
    for person in people:
        read_everything(person, notes)
    assert find_differences(*CHECKED_APPS) == []
    guarded_redis.flushall()
    call_command("rebuild_redis")
    assert find_differences(*CHECKED_APPS) == []
    for person in people:
        check_what_is_shown(person, notes)


def check_what_is_shown(person: User, notes: list[Note]) -> None:
    """A reader sees what the rows say."""
    rows = set(Follow.objects.filter(follower=person).values_list("followee_id", flat=True))
    assert graph.followed_ids(person.pk) == rows
    shown = {note.pk for note in feed_makers.flatten(feed_makers.read_all_pages(person))}
    assert shown == set(Note.objects.filter(author__in=rows).values_list("pk", flat=True))
    for note in Note.objects.filter(pk__in=[one.pk for one in notes]):
        panel, liked = likes.for_note_page(note, person.pk), Like.objects.filter(note=note)
        assert panel.liked == liked.filter(user=person).exists()
        assert panel.count == liked.count()
        assert panel.first == [row.user for row in liked.order_by("created_at", "id")[:5]]


def dump_redis(connected: Any) -> dict[str, object]:
    """What may not be lost of these apps, by key; a copy that holds its mark alone says nothing."""
    found = {
        raw.decode(): _value(connected, raw)
        for raw in connected.scan_iter(count=1_000)
        if (declared := schema.match(raw.decode())) and declared.rebuilt_from and declared.app in CHECKED_APPS
    }
    return {key: value for key, value in found.items() if value != {b"0"}}


def _value(connected: Any, raw: bytes) -> object:
    read = {
        b"string": connected.get,
        b"set": connected.smembers,
        b"hash": connected.hgetall,
        b"zset": lambda key: dict(connected.zrange(key, 0, -1, withscores=True)),
    }
    return read[connected.type(raw)](raw)


def test_a_lost_redis_is_rebuilt_to_the_last_member(
    people: list[User], notes: list[Note], redis_server: embedded_redis.Server, guarded_redis: redis.Redis
) -> None:
    for number in range(40):
        do_random_act(Random(number), people, notes)
    for person in people:
        check_ins.check_in_today(person.pk)
    call_command("rebuild_redis")
    for person in people:
        read_everything(person, notes)
    with redis.Redis.from_url(redis_server.url) as connected:
        before = dump_redis(connected)
        guarded_redis.flushall()
        call_command("rebuild_redis")
        after = dump_redis(connected)
    assert {key.split(":")[1] for key in before} == set(CHECKED_APPS)
    assert after == before
