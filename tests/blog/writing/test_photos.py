"""Photos: what is taken, what is kept of it, who sees it, and when it goes."""

import re
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.accounts.pictures import drawing
from apps.accounts.pictures import files as picture_files
from apps.blog import limits, tasks
from apps.blog.models import Photo
from apps.blog.writing import notes, photos
from tests.blog import authors, makers
from tests.factories import PhotoFactory
from tests.races import race
from tests.sample_pictures import REFUSED_FILES, make_picture

pytestmark = pytest.mark.django_db(transaction=True)
ON_DISK = ("", "-card")


def upload(client: Client, content: bytes, name: str = "me.jpg", kind: str = "image/jpeg") -> tuple[int, str]:
    """Status and code of POST /api/photos."""
    answer = client.post("/api/photos", {"photo": authors.upload_file(content, name, kind)})
    return answer.status_code, answer.json().get("code", "")


def files(photo: Photo) -> list[bool]:
    """Whether the large one and the card are there."""
    return [default_storage.exists(photos.file_path(photo.name + end)) for end in ON_DISK]


def opened(photo: Photo, end: str = "") -> Image.Image:
    return Image.open(BytesIO(default_storage.open(photos.file_path(photo.name + end)).read()))


@pytest.fixture(autouse=True)
def empty_folder() -> None:
    """Each test sees its own files alone."""
    for path in Path(settings.MEDIA_ROOT, "notes").glob("*"):
        path.unlink()


def on_disk() -> int:
    return len(list(Path(settings.MEDIA_ROOT, "notes").glob("*")))


@pytest.mark.parametrize("kind", drawing.ALLOWED_FORMATS)
def test_a_photo_is_drawn_anew_in_two_sizes(alice: User, kind: str) -> None:
    content = make_picture(kind, (2400, 1200), turned=6)
    assert upload(authors.api_client(alice), content, "../../me.php.jpg", "text/html") == (201, "")
    photo = Photo.objects.get()
    upright = kind not in {"GIF"}
    assert (photo.width, photo.height) == ((800, 1600) if upright else (1600, 800))
    for end, size in (("", (photo.width, photo.height)), ("-card", (480, 960) if upright else (480, 240))):
        kept = opened(photo, end)
        assert (kept.format, kept.size) == ("WEBP", size)
        assert not kept.getexif()
        assert not {"exif", "icc_profile", "xmp"} & kept.info.keys()
    assert re.fullmatch("[0-9a-f]{32}", photo.name)


@pytest.mark.parametrize(
    "name", ["../../etc/x.php", ".htaccess", "a\x00.jpg", "x" * 300, "图\u202egpj.exe", " "]
)
def test_a_files_own_name_means_nothing(alice: User, name: str) -> None:
    assert upload(authors.api_client(alice), make_picture(), name, "text/html") == (201, "")
    assert re.fullmatch("[0-9a-f]{32}", Photo.objects.get().name)
    assert on_disk() == 2


def test_a_moving_picture_moves_when_it_is_large_and_begins_with_its_first_moment(alice: User) -> None:
    drawn, frames = BytesIO(), [Image.new("RGB", (90, 60), colour) for colour in ("red", "blue")]
    frames[0].save(drawn, "GIF", save_all=True, append_images=frames[1:])
    kept = opened(photos.upload(alice, authors.upload_file(drawn.getvalue())))
    assert getattr(kept, "n_frames", 1) == 2
    red, _, blue = kept.convert("RGB").getpixel((5, 5))  # type: ignore[misc]
    assert red > 200 > blue


def test_a_small_photo_is_not_blown_up(alice: User) -> None:
    photo = photos.upload(alice, authors.upload_file(make_picture(size=(90, 60))))
    assert (photo.width, photo.height) == (90, 60)
    assert opened(photo, "-card").size == (90, 60)


def test_transparency_becomes_white(alice: User) -> None:
    drawn = BytesIO()
    Image.new("RGBA", (90, 60), (0, 0, 0, 0)).save(drawn, "PNG")
    photo = photos.upload(alice, authors.upload_file(drawn.getvalue()))
    assert opened(photo).convert("RGB").getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize("kind", REFUSED_FILES)
def test_what_is_no_picture_or_too_much_of_one_is_refused(alice: User, kind: str) -> None:
    status, code = upload(authors.api_client(alice), REFUSED_FILES[kind]())
    assert (status, code) in {(422, "bad_picture"), (422, "invalid")}
    assert not Photo.objects.exists()
    assert on_disk() == 0


def test_a_file_past_ten_megabytes_is_413(alice: User) -> None:
    assert upload(authors.api_client(alice), make_picture() + b"\x00" * photos.MAX_FILE_BYTES) == (
        413,
        "too_large",
    )


@pytest.mark.parametrize("body", [{}, {"photo": "text"}, {"other": "x"}])
def test_an_upload_without_a_file_is_refused(alice: User, body: dict[str, str]) -> None:
    answer = authors.api_client(alice).post("/api/photos", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_a_visitor_sends_nothing(client: Client, db: None) -> None:
    assert upload(client, make_picture()) == (401, "not_logged_in")


def test_a_script_behind_a_picture_is_lost(alice: User) -> None:
    photo = photos.upload(alice, authors.upload_file(make_picture() + b"<script>alert(1)</script>"))
    assert b"script" not in default_storage.open(photos.file_path(photo.name)).read()


def test_a_person_sends_sixty_photos_an_hour(alice: User) -> None:
    for _ in range(limits.PHOTOS.allowed):
        limits.charge(limits.PHOTOS, alice.pk)
    answer = authors.api_client(alice).post("/api/photos", {"photo": authors.upload_file()})
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert 0 < int(answer["Retry-After"]) <= 3_600


def test_a_full_disk_leaves_neither_row_nor_file(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, drawn = default_storage.save, []

    def save(name: str, content: object) -> str:
        drawn.append(name)
        if len(drawn) == 2:
            raise OSError(28, "No space left on device")
        return str(kept(name, content))  # type: ignore[arg-type]

    monkeypatch.setattr(type(default_storage._wrapped), "save", lambda _, *args: save(*args))  # type: ignore[attr-defined]
    assert upload(authors.api_client(alice), make_picture()) == (503, "busy")
    assert (Photo.objects.count(), on_disk()) == (0, 0)


def test_a_photo_is_served_as_nothing_else(client: Client, alice: User) -> None:
    photo = authors.photo_with_files(alice)
    for url in (photo.url, photo.card_url):
        answer = client.get(url)
        assert answer["Content-Type"] == "image/webp"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"].startswith("inline")
        assert "sandbox" in answer["Content-Security-Policy"]
        assert {"public", "immutable", "max-age=31536000"} <= set(answer["Cache-Control"].split(", "))
        assert b"".join(answer).startswith(b"RIFF")
        answer.close()


@pytest.mark.parametrize("name", ["../savor.sqlite3", "a.webp", "0" * 32 + ".webp", "%2e%2e/x.webp", ""])
def test_no_other_file_is_served(client: Client, db: None, name: str) -> None:
    assert client.get(f"/media/notes/{name}").status_code == 404


def test_photos_of_a_deleted_note_are_not_shown(client: Client, alice: User) -> None:
    photo = authors.photo_with_files(alice)
    note = notes.create(
        alice, makers.shop(), publish=True, **authors.complete_note(alice, photo_ids=[photo.pk])
    )
    notes.delete(note)
    assert client.get(photo.url).status_code == 404
    notes.undo_delete(note)
    answer = client.get(photo.url)
    assert answer.status_code == 200
    answer.close()


def test_a_free_photo_is_deleted_with_its_files_once(alice: User) -> None:
    photo, me = authors.photo_with_files(alice), authors.api_client(alice)
    assert files(photo) == [True, True]
    assert [me.delete(f"/api/photos/{photo.pk}").status_code for _ in range(2)] == [204, 404]
    assert files(photo) == [False, False]


@pytest.mark.both_databases
def test_nobody_deletes_others_photos_or_those_of_a_note(alice: User, bob: User) -> None:
    photo, held = authors.photo_row(alice), makers.note(alice).photos.get()
    assert authors.api_client(bob).delete(f"/api/photos/{photo.pk}").status_code == 404
    answer = authors.api_client(alice).delete(f"/api/photos/{held.pk}")
    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert Photo.objects.count() == 2


def test_files_stay_when_the_deletion_is_not_committed(alice: User) -> None:
    photo = authors.photo_with_files(alice)
    note = notes.create(
        alice, makers.shop(), publish=True, **authors.complete_note(alice, photo_ids=[photo.pk])
    )
    with pytest.raises(ValidationError):
        notes.save(note, photo_ids=[], rating=None)
    assert files(photo) == [True, True]


@pytest.mark.both_databases
def test_taking_and_deleting_a_photo_at_once_leaves_no_note_without_it(alice: User) -> None:
    photo, shop = authors.photo_with_files(alice), makers.shop()
    content = authors.complete_note(alice, photo_ids=[photo.pk])

    def act(number: int) -> object:
        if number:
            return notes.create(alice, shop, publish=True, **content)
        photos.delete_unattached(photo)
        return None

    answers = race(2, act)
    assert sum(isinstance(answer, Exception) for answer in answers) == 1
    assert files(photo) == [Photo.objects.filter(note__isnull=False).exists()] * 2


def test_what_no_note_took_in_time_is_tidied_away(alice: User) -> None:
    old = timezone.now() - photos.UNUSED_RETENTION
    unused, fresh, held = (
        authors.photo_with_files(alice, created_at=old),
        authors.photo_with_files(alice),
        authors.photo_with_files(alice),
    )
    notes.create(alice, makers.shop(), **authors.complete_note(alice, photo_ids=[held.pk]))
    Photo.objects.filter(pk=held.pk).update(created_at=old)
    assert tasks.tidy_photos() == 1
    assert [files(photo) for photo in (unused, fresh, held)] == [[False] * 2, [True] * 2, [True] * 2]


@pytest.mark.both_databases
def test_photos_of_a_deleted_note_go_after_a_month(alice: User) -> None:
    mine, hidden = makers.note(alice), makers.note(alice)
    notes.delete(mine)
    notes.hide(hidden)
    with time_machine.travel(timezone.now() + photos.DELETED_RETENTION - timedelta(hours=1)):
        assert photos.delete_expired() == 0
    with time_machine.travel(timezone.now() + photos.DELETED_RETENTION + timedelta(hours=1)):
        assert photos.delete_expired() == 1
    assert Photo.objects.get().note == hidden


@pytest.mark.both_databases
def test_tidying_takes_many_in_turns(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photos, "BATCH_PHOTOS", 2)
    old = timezone.now() - photos.UNUSED_RETENTION - timedelta(days=1)
    PhotoFactory.bulk_create(5, owner=alice, created_at=old)
    assert photos.delete_expired() == 5


def test_a_photo_comes_in_a_few_widths_each_drawn_once(client: Client, alice: User) -> None:
    note = makers.note(alice, photos=0)
    photo = photos.upload(alice, authors.upload_file(make_picture("JPEG", (1600, 800))))
    Photo.objects.filter(pk=photo.pk).update(note=note)
    for width in (160, 320, 480, 960):
        first, again = (client.get(photo.url, {"width": width}).getvalue() for _ in range(2))
        assert Image.open(BytesIO(first)).size == (width, width // 2)
        assert first == again
    assert on_disk() == 6
    for sent in ("", "0", "321", "320px", "-160", "１６０", "9" * 30, "160.0"):
        refused = client.get(photo.url, {"width": sent})
        assert refused.status_code == 422, sent
    same = [client.get(url, {"width": 160}).getvalue() for url in (photo.url, photo.card_url)]
    assert same[0] == same[1]
    assert client.get(f"/media/notes/{'0' * 32}.webp", {"width": 160}).status_code == 404
    files_before = on_disk()
    picture_files.delete_files(photos.FOLDER, [photo.name])
    assert (files_before, on_disk()) == (6, 0)
