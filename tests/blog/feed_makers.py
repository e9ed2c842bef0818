"""Follows, and notes that are announced, for the tests of the feed."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from apps.accounts.models import User
from apps.blog.feed import feed
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.follows import graph
from tests.blog import makers

#: A moment long after 1970, to the microsecond.
NOON = datetime(2024, 11, 1, 12, 0, 0, 123_456, tzinfo=UTC)


def follow(reader: User, *authors: User) -> None:
    for author in authors:
        graph.follow(reader.pk, author.pk)


def publish(author: User, *, after: timedelta = timedelta(), at: datetime = NOON) -> Note:
    """A note that is published and announced, so many moments after noon."""
    note = makers.note(author, at=at + after)
    feed.announce(note.pk)
    return note


def publish_each_second(author: User, count: int) -> list[Note]:
    """One note a second, the newest first."""
    return [publish(author, after=timedelta(seconds=number)) for number in range(count)][::-1]


def read_all_pages(reader: User, *, size: int = 2, max_count: int = 100) -> list[list[Note]]:
    """Every page of a feed, one after the other."""
    pages: list[list[Note]] = []
    before: FeedPosition | None = None
    while len(pages) < max_count:
        page = feed.load_page(reader.pk, before=before, size=size)
        pages.append(page.notes)
        if not page.has_more:
            break
        before = FeedPosition.for_note(page.notes[-1])
    return pages


def flatten(pages: Sequence[Sequence[Note]]) -> list[Note]:
    return [note for page in pages for note in page]
