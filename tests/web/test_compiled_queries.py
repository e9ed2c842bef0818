from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import DailyCount, User
from apps.blog.models import Like, Note
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate
from tests.blog import makers

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NOON = datetime(2026, 11, 23, 4, tzinfo=UTC)


@CompiledQuery
def names_since(city: str, joined_at: datetime) -> QuerySet[User, tuple[str, datetime]]:
    people = User.objects.filter(city=city, joined_at__gte=joined_at)
    return people.order_by("nickname").values_list("nickname", "joined_at")


@CompiledQuery
def note_with_author(note_id: int) -> QuerySet[Note, Note]:
    return Note.objects.filter(pk=note_id).select_related("author").annotate(double=F("likes") * 2)


@CompiledQuery
def names_by_ids(user_ids: list[int]) -> QuerySet[User, tuple[str]]:
    return User.objects.filter(pk__in=user_ids).order_by("nickname").values_list("nickname")


@CompiledUpdate
def set_likes(note_id: int, likes: int) -> Change:
    return Note.objects.filter(pk=note_id), {"likes": F("likes") + likes}


@CompiledInsert
def insert_like(note_id: int, user_id: int, created_at: datetime) -> Like:
    return Like(note_id=note_id, user_id=user_id, created_at=created_at)


def test_rows_are_those_of_the_values(alice: User, bob: User) -> None:
    User.objects.filter(pk__in=[alice.pk, bob.pk]).update(joined_at=NOON)
    assert names_since("Shanghai", NOON) == [("Alice", NOON), ("Bob", NOON)]
    assert names_since(city="Shanghai", joined_at=NOON + timedelta(seconds=1)) == []
    assert names_since("Beijing", joined_at=NOON) == []


def test_a_list_may_have_any_length(alice: User, bob: User) -> None:
    assert names_by_ids([bob.pk, alice.pk, 0]) == [("Alice",), ("Bob",)]
    assert names_by_ids([bob.pk]) == [("Bob",)]
    assert names_by_ids([]) == []


def test_objects_come_with_what_is_related_and_annotated(alice: User) -> None:
    first, second = makers.note(alice), makers.note(alice)
    Note.objects.filter(pk=second.pk).update(likes=3)
    with CaptureQueriesContext(connection) as queries:
        ((one,), (other,)) = note_with_author(first.pk), note_with_author(second.pk)
        assert (one.author.nickname, other.author.nickname) == ("Alice", "Alice")
    assert len(queries) == 2
    assert (one.pk, other.pk) == (first.pk, second.pk)
    assert [getattr(each, "double", None) for each in (one, other)] == [0, 6]


def test_the_sql_is_compiled_once(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []

    @CompiledQuery
    def counted(user_id: int) -> QuerySet[User, tuple[str]]:
        compiled.append(user_id)
        return User.objects.filter(pk=user_id).values_list("nickname")

    assert [counted(alice.pk), counted(0), counted(alice.pk)] == [[("Alice",)], [], [("Alice",)]]
    assert len(compiled) == 1


def test_an_update_counts_its_rows(alice: User) -> None:
    note = makers.note(alice)
    assert [set_likes(note.pk, 2), set_likes(note.pk, 3), set_likes(0, 1)] == [1, 1, 0]
    note.refresh_from_db()
    assert note.likes == 5


def test_an_insert_returns_the_key_once(alice: User) -> None:
    note, now = makers.note(alice), timezone.now()
    made = insert_like(note.pk, alice.pk, now)
    assert insert_like(note.pk, alice.pk, now) is None
    like = Like.objects.get()
    assert (like.pk, like.note_id, like.user_id, like.created_at) == (made, note.pk, alice.pk, now)


def test_an_insert_takes_constants_of_the_model(db: None) -> None:
    @CompiledInsert
    def insert_count(what: str) -> DailyCount:
        return DailyCount(day=NOON.date(), what=what, subject="")

    insert_count("one")
    insert_count("two")
    assert list(DailyCount.objects.order_by("what").values_list("what", "count")) == [("one", 0), ("two", 0)]


def test_a_default_that_changes_must_be_a_value(alice: User) -> None:
    @CompiledInsert
    def insert_at_some_time(note_id: int, user_id: int) -> Like:
        return Like(note_id=note_id, user_id=user_id)

    with pytest.raises(TypeError, match="created_at"):
        insert_at_some_time(1, 1)


def test_a_wrong_number_of_values_is_refused(alice: User) -> None:
    refused: Any = names_since
    with pytest.raises(KeyError):
        refused("Shanghai")
