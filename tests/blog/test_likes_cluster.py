"""Likes on a Redis Cluster: a note's keys share a slot, many notes don't."""

import pytest

from apps.accounts.models import User
from apps.blog import likes
from apps.blog.like_copies import FIRST_LIKERS, LIKED
from apps.blog.models import Note
from apps.redis_kit import client
from tests.blog import makers
from tests.differences import find_differences
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis_nodes]


def test_likes_are_told_built_and_read_on_a_cluster(alice: User, bob: User) -> None:
    notes = [makers.note(alice) for _ in range(5)]
    for _ in ("absent", "whole"):
        for note in notes:
            likes.like(note.pk, bob.pk)
        rows = list(Note.objects.order_by("pk"))
        assert [likes.for_note_page(note, bob.pk).first for note in rows] == [[bob]] * 5
        assert all(shown.liked for shown in likes.for_notes(rows, bob.pk).values())
        assert len(FIRST_LIKERS.read_copies([note.pk for note in notes])) == 5
        likes.unlike(notes[0].pk, bob.pk)
        assert find_differences("blog.notes", fix=True) == []


def test_a_rebuild_works_on_a_cluster(alice: User, bob: User) -> None:
    notes = [makers.note(alice) for _ in range(3)]
    for note in notes:
        likes.like(note.pk, bob.pk)
    client.get().flushall()
    assert FIRST_LIKERS.rebuild(lambda done, total: None) == 3
    assert LIKED.rebuild(lambda done, total: None) == 1
    assert len(FIRST_LIKERS.read_copies([note.pk for note in notes])) == 3
