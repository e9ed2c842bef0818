"""Any sequence of publishing, deleting, following, losing and reading leaves the feed a list would be."""

from datetime import timedelta

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as given_settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog.feed import fan_out, feed, inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.follows import graph
from apps.follows.models import Follow
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.feed_makers import NOON
from tests.differences import find_differences

AUTHORS, ANY = st.integers(0, 1), st.integers(0, 30)
#: More often than not; else a sweep may find it, or nobody.
ANNOUNCED = st.sampled_from([True, True, False])


class FeedMachine(RuleBasedStateMachine):
    """One reader, two authors, four moments; inboxes so small that a few notes reach every border."""

    def __init__(self, settings: Settings, reader: User, authors: list[User]) -> None:
        super().__init__()
        self.settings, self.reader, self.authors = settings, reader, authors
        self.notes: list[Note] = []
        self.gone: set[int] = set()
        self.followed: set[int] = set()
        self.before: FeedPosition | None = None

    @initialize(cap=st.integers(1, 6))
    def begin(self, cap: int) -> None:
        client.get().flushall()
        Note.objects.all().delete()
        Follow.objects.all().delete()
        self.settings.FEED_INBOX_CAP, self.settings.FEED_PUSH_LIMIT = cap, 1

    @rule(author=AUTHORS, moments=st.lists(st.integers(0, 3), min_size=1, max_size=4), is_announced=ANNOUNCED)
    def publish(self, author: int, moments: list[int], is_announced: bool) -> None:
        for moment in moments:
            at = NOON + timedelta(microseconds=moment)
            self.notes.append(makers.note(self.authors[author], at=at, photos=0))
            if is_announced:
                feed.announce(self.notes[-1].pk)

    @precondition(lambda self: self.notes)
    @rule(which=ANY)
    def delete(self, which: int) -> None:
        note = self.notes[which % len(self.notes)]
        Note.objects.filter(pk=note.pk).update(status=Note.Status.DELETED)
        feed.withdraw(note.pk)
        self.gone.add(note.pk)

    @precondition(lambda self: self.gone)
    @rule(which=ANY, is_announced=ANNOUNCED)
    def bring_back(self, which: int, is_announced: bool) -> None:
        note_id = sorted(self.gone)[which % len(self.gone)]
        Note.objects.filter(pk=note_id).update(status=Note.Status.PUBLISHED)
        if is_announced:
            feed.announce(note_id)
        self.gone.remove(note_id)

    @rule(which=AUTHORS)
    def follow_or_unfollow(self, which: int) -> None:
        author_id = self.authors[which].pk
        verb = graph.unfollow if author_id in self.followed else graph.follow
        assert verb(self.reader.pk, author_id)
        self.followed ^= {author_id}

    @rule(limit=st.integers(0, 1))
    def cross_the_limit(self, limit: int) -> None:
        """At 0 whoever is followed has too many followers."""
        self.settings.FEED_PUSH_LIMIT = limit

    @rule()
    def lose_redis(self) -> None:
        client.get().flushall()

    @rule()
    def be_away(self) -> None:
        inboxes.forget(self.reader.pk)

    @rule()
    def sweep(self) -> None:
        for note_id in list(fan_out.list_lost_ids()):
            feed.announce(note_id)

    @rule()
    def go_to_the_top(self) -> None:
        self.before = None

    @rule(size=st.integers(1, 4))
    def read_on(self, size: int) -> None:
        expected = self._expected()
        page = feed.load_page(self.reader.pk, before=self.before, size=size)
        assert [FeedPosition.for_note(note) for note in page.notes] == expected[:size]
        assert page.has_more == (len(expected) > size)
        self.before = FeedPosition.for_note(page.notes[-1]) if page.notes else self.before

    @invariant()
    def nothing_is_missing(self) -> None:
        assert find_differences("blog.feeds") == []

    def _expected(self) -> list[FeedPosition]:
        shown = [one for one in self.notes if one.pk not in self.gone and one.author_id in self.followed]
        found = (FeedPosition.for_note(note) for note in shown)
        return sorted((one for one in found if self.before is None or one < self.before), reverse=True)


@pytest.mark.django_db(transaction=True)
def test_any_sequence_leaves_what_a_list_would_be(
    settings: Settings, alice: User, bob: User, charlie: User
) -> None:
    class Machine(FeedMachine):
        def __init__(self) -> None:
            super().__init__(settings, bob, [alice, charlie])

    bounds = given_settings(
        max_examples=30, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Machine, settings=given_settings(bounds, database=None))
