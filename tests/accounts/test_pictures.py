"""Pictures are drawn few at a time on the whole site; whoever finds no turn hears so and loses no word."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client

from apps.accounts import limits
from apps.accounts.models import User
from apps.accounts.pictures import drawing, uploads
from apps.accounts.pictures.drawing import Shape
from apps.redis_kit import client, keys
from apps.redis_kit.locks import semaphores
from apps.web.problems import Problem
from tests.blog import authors, makers
from tests.races import Race
from tests.sample_pictures import make_picture

pytestmark = pytest.mark.django_db(transaction=True)
BUSY = "Many pictures arrive right now. Try again in a moment."


@contextmanager
def all_turns_taken() -> Iterator[None]:
    taken = [uploads.CONCURRENT_PICTURES.acquire(wait=0) for _ in range(uploads.CONCURRENT_PICTURES.permits)]
    yield
    for permit in taken:
        assert permit
        permit.release()


class Room:
    """Counts who has a turn at once, until `full` people together have found one or none."""

    def __init__(self, full: int) -> None:
        self._guard, self._inside, self.most = threading.Lock(), 0, 0
        self._everybody = threading.Barrier(full)

    def enter(self, owner_id: int | None) -> bool:
        """Whether there was a turn; whoever has one keeps it until everybody has tried."""
        try:
            with uploads.turn(owner_id):
                with self._guard:
                    self._inside += 1
                    self.most = max(self.most, self._inside)
                self._everybody.wait(60)
                with self._guard:
                    self._inside -= 1
                return True
        except Problem:
            self._everybody.wait(60)
            return False


SHAPE = Shape(side=64)


def redraw(content: bytes | None = None, **options: Any) -> drawing.Drawn:
    file = authors.upload_file() if content is None else authors.upload_file(content)
    return uploads.redraw(file, SHAPE, most_bytes=uploads.MEGABYTE, **options)


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


def test_no_more_than_the_turns_are_drawn_at_once(race: Race) -> None:
    room = Room(8)
    assert race(8, lambda number: room.enter(number + 1)).count(True) == uploads.CONCURRENT_PICTURES.permits
    assert room.most == uploads.CONCURRENT_PICTURES.permits
    assert not client.get().exists(keys.LOCK_HOLDERS(name="semaphore:pictures"))


def test_a_person_has_one_picture_drawn_at_a_time(race: Race, alice: User, bob: User) -> None:
    room = Room(8)
    assert race(8, lambda _: room.enter(alice.pk)).count(True) == 1
    with uploads.turn(alice.pk):
        answer = authors.api_client(alice).post("/api/me/avatar", {"picture": authors.upload_file()})
        assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (
            429,
            "too_many_requests",
            "5",
        )
        his = authors.api_client(bob).post("/api/me/avatar", {"picture": authors.upload_file()})
        assert his.status_code == 200
    assert authors.api_client(alice).post("/api/photos", {"photo": authors.upload_file()}).status_code == 201


def test_a_person_s_pictures_are_counted(alice: User) -> None:
    for _ in range(limits.AVATARS.allowed):
        limits.charge_avatar(alice.pk)
    answer = authors.api_client(alice).post("/api/me/avatar", {"picture": authors.upload_file()})
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    page = authors.browser_client(alice).post(
        "/me/edit/", {"nickname": "A", "picture": authors.upload_file()}
    )
    assert page.status_code == 429


def test_a_broken_picture_gives_its_turns_back() -> None:
    for _ in range(2 * uploads.CONCURRENT_PICTURES.permits):
        with pytest.raises(Problem, match="bad_picture"):
            redraw(b"text", owner_id=7)
    assert not client.get().exists(keys.LOCK_HOLDERS(name="semaphore:pictures"))
    assert not client.get().exists(keys.LOCK_HOLDERS(name="semaphore:pictures-of-7"))


def test_while_redis_is_away_each_process_counts_for_itself(redis_away: None, race: Race) -> None:
    room = Room(8)
    assert race(8, lambda _: room.enter(None)).count(True) == uploads.CONCURRENT_PICTURES.permits
    permit = semaphores.SiteSemaphore("pictures", permits=1, lease=30).acquire(wait=0)
    assert permit
    assert permit.renew()
    permit.release()


def test_an_upload_works_while_redis_is_away(redis_away: None) -> None:
    assert redraw(owner_id=7).files


def test_an_avatar_may_have_fewer_pixels_than_a_photo(alice: User) -> None:
    many = make_picture("PNG", size=(3_000, 2_800))
    me = authors.api_client(alice)
    assert me.post("/api/me/avatar", {"picture": authors.upload_file(many)}).status_code == 422
    assert me.post("/api/photos", {"photo": authors.upload_file(many)}).status_code == 201


def test_a_visitor_is_refused_before_any_turn(client: Client) -> None:
    with all_turns_taken():
        assert client.post("/api/photos", {"photo": authors.upload_file()}).status_code == 401
