"""Queries for the notes that belong in a reader's feed."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import OuterRef, QuerySet

from apps.accounts.relations import blocks
from apps.blog.feed import feed_positions
from apps.blog.feed.feed_positions import LAST_POSITION, FeedPosition
from apps.blog.models import Note, NoteQuerySet
from apps.follows.models import Follow
from apps.web.compiled_queries import CompiledQuery


def of_reader(reader_id: int) -> NoteQuerySet:
    """Return the published notes of all followed authors, without those with a block to the reader.

    A block ends follows after its commit: until then, or for good where a crash came between, it counts here.
    """
    follows = Follow.objects.filter(~blocks.is_apart(reader_id, OuterRef("followee")), follower=reader_id)
    authors = follows.values("followee")
    return Note.objects.published().filter(author__in=authors)


def unpushed_of_reader(reader_id: int) -> NoteQuerySet:
    """Return a reader's followed notes that are in no inbox: still being pushed, or too many followers."""
    return of_reader(reader_id).filter(pushed_at=None)


def newest_unpushed(reader_id: int, *, before: FeedPosition | None, max_count: int) -> list[FeedPosition]:
    """Return the positions of the newest unpushed notes of a reader below `before`; one query."""
    below = before or LAST_POSITION
    rows = _query_unpushed(max_count)(reader_id, below.moment, below.note_id)
    return [FeedPosition.at_time(moment, note_id) for moment, note_id in rows]


def load(reader_id: int, note_ids: Sequence[int]) -> list[Note]:
    """Return those of these notes that are a reader's followed notes now, with their times alone."""
    return _query_followed(reader_id, list(note_ids))


@cache
def _query_unpushed(max_count: int) -> CompiledQuery[[int, datetime, int], tuple[Any, ...]]:
    @CompiledQuery
    def query(reader_id: int, moment: datetime, note_id: int) -> QuerySet[Any, tuple[Any, ...]]:
        rows = feed_positions.rows_below_place(unpushed_of_reader(reader_id), moment, note_id)
        return rows.order_by("-published_at", "-pk").values_list("published_at", "pk")[:max_count]

    return query


@CompiledQuery
def _query_followed(reader_id: int, note_ids: list[int]) -> QuerySet[Note]:
    return of_reader(reader_id).filter(pk__in=note_ids).only("published_at")
