"""Pictures are drawn few at a time on the whole site; whoever finds no turn hears so and loses no word."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client

from apps.accounts import pictures
from apps.accounts.models import User
from apps.redis_kit import client, keys, semaphores
from apps.web.problems import Problem
from tests.blog import authors, makers
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)
BUSY = "Many pictures arrive right now. Try again in a moment."


@contextmanager
def all_turns_taken() -> Iterator[None]:
    taken = [
        pictures.CONCURRENT_PICTURES.acquire(wait=0) for _ in range(pictures.CONCURRENT_PICTURES.permits)
    ]
    yield
    for permit in taken:
        assert permit
        permit.release()


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_WAIT_SECONDS", 0.05)


class Room:
    """Counts who is inside at once."""

    def __init__(self) -> None:
        self._guard, self._inside, self.most = threading.Lock(), 0, 0

    def draw(self, _: object) -> bool:
        with self._guard:
            self._inside += 1
            self.most = max(self.most, self._inside)
        threading.Event().wait(0.01)
        with self._guard:
            self._inside -= 1
        return True


def drawn(room: Room) -> bool:
    return pictures.redraw(authors.upload_file(), most_bytes=pictures.MEGABYTE, side=64, then=room.draw)


def test_a_program_hears_503_and_when_to_come_again(alice: User) -> None:
    me = authors.api_client(alice)
    with all_turns_taken():
        answers = [
            me.post("/api/photos", {"photo": authors.upload_file()}),
            me.post("/api/me/avatar", {"picture": authors.upload_file()}),
        ]
    for answer in answers:
        assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "busy", "5")
    assert me.post("/api/photos", {"photo": authors.upload_file()}).status_code == 201


def test_a_note_s_words_are_still_in_the_form(alice: User) -> None:
    words: dict[str, Any] = {"title": "Broth", "text": "Slow and clear.", "rating": "4", "publish": "1"}
    with all_turns_taken():
        answer = authors.browser_client(alice).post(
            f"/notes/new/?shop={makers.shop().pk}", words | {"files": [authors.upload_file()]}
        )
    page = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert BUSY in page
    assert "Slow and clear." in page


def test_a_profile_s_words_are_still_in_the_form(alice: User) -> None:
    words: dict[str, Any] = {"nickname": "Alice B", "bio": "Eats everything.", "city": "Shanghai"}
    with all_turns_taken():
        answer = authors.browser_client(alice).post("/me/edit/", words | {"picture": authors.upload_file()})
    page = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert BUSY in page
    assert "Eats everything." in page
    alice.refresh_from_db()
    assert alice.bio == ""


def test_no_more_than_the_turns_are_drawn_at_once(race: Race, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_WAIT_SECONDS", 60.0)
    room = Room()
    assert race(16, lambda _: drawn(room)) == [True] * 16
    assert room.most == pictures.CONCURRENT_PICTURES.permits
    assert not client.get().exists(keys.LOCK_HOLDERS(name="semaphore:pictures"))


def test_a_broken_picture_gives_its_turn_back() -> None:
    for _ in range(2 * pictures.CONCURRENT_PICTURES.permits):
        with pytest.raises(Problem, match="bad_picture"):
            pictures.redraw(authors.upload_file(b"text"), most_bytes=99, side=64, then=lambda image: image)
    assert not client.get().exists(keys.LOCK_HOLDERS(name="semaphore:pictures"))


def test_while_redis_is_away_each_process_counts_for_itself(
    redis_away: None, race: Race, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_WAIT_SECONDS", 60.0)
    room = Room()
    assert race(8, lambda _: drawn(room)) == [True] * 8
    assert room.most == pictures.CONCURRENT_PICTURES.permits
    permit = semaphores.SiteSemaphore("pictures", permits=1, lease=30).acquire(wait=0)
    assert permit
    assert permit.renew()
    permit.release()


def test_an_upload_works_while_redis_is_away(redis_away: None) -> None:
    assert drawn(Room())


def test_a_visitor_is_refused_before_any_turn(client: Client) -> None:
    with all_turns_taken():
        assert client.post("/api/photos", {"photo": authors.upload_file()}).status_code == 401
