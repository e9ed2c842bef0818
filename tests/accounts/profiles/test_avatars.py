import re
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image, ImageChops, ImageStat

from apps.accounts.models import User
from apps.accounts.profiles import avatars
from tests.accounts.conftest import issue_cached_token
from tests.sample_pictures import REFUSED_FILES, make_picture


@pytest.fixture
def me(client: Client, token: str) -> Client:
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def upload(me: Client, content: bytes, name: str = "me.jpg", kind: str = "image/jpeg") -> tuple[int, str]:
    answer = me.post("/api/me/avatar", {"picture": SimpleUploadedFile(name, content, kind)})
    return answer.status_code, answer.json().get("code", "")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_picture_is_drawn_anew(me: Client, kind: str, alice: User) -> None:
    assert upload(me, make_picture(kind), "../../me.php.jpg") == (200, "")
    alice.refresh_from_db()
    with Image.open(alice.avatar) as kept:
        assert (kept.format, kept.size) == ("WEBP", (avatars.SIDE_PIXELS, avatars.SIDE_PIXELS))
        assert not kept.getexif()
    assert re.fullmatch(r"avatars/[0-9a-f]{32}\.webp", str(alice.avatar))


@pytest.mark.parametrize("kind", REFUSED_FILES)
def test_what_is_no_picture_is_refused(me: Client, kind: str, alice: User) -> None:
    status, code = upload(me, REFUSED_FILES[kind]())
    assert (status, code) in {(422, "bad_picture"), (422, "invalid")}
    alice.refresh_from_db()
    assert not alice.avatar


def test_a_picture_with_a_script_behind_it_loses_the_script(me: Client, alice: User) -> None:
    assert upload(me, make_picture() + b"<script>alert(1)</script>")[0] == 200
    alice.refresh_from_db()
    assert b"script" not in alice.avatar.read()


def test_a_file_past_five_megabytes_is_413(me: Client) -> None:
    assert upload(me, make_picture() + b"\x00" * avatars.MAX_BYTES) == (413, "too_large")


@pytest.mark.django_db(transaction=True)
def test_the_old_picture_goes_with_the_new_one(me: Client, alice: User) -> None:
    upload(me, make_picture())
    alice.refresh_from_db()
    old = str(alice.avatar)
    upload(me, make_picture(colour="blue"))
    alice.refresh_from_db()
    assert default_storage.exists(str(alice.avatar))
    assert not default_storage.exists(old)


def test_a_picture_is_served_as_nothing_else(me: Client, alice: User) -> None:
    upload(me, make_picture())
    url = me.get("/api/me").json()["avatar"]
    answer = me.get(url)
    assert answer["Content-Type"] == "image/webp"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("inline")
    assert "sandbox" in answer["Content-Security-Policy"]
    assert b"".join(answer).startswith(b"RIFF")
    answer.close()


@pytest.mark.parametrize("name", ["../savor.sqlite3", "a.webp", "0" * 32 + ".webp", "%2e%2e/x.webp"])
def test_no_other_file_is_served(client: Client, db: None, name: str) -> None:
    assert client.get(f"/media/avatars/{name}").status_code == 404


@pytest.mark.both_databases
def test_the_profile_page_takes_a_picture_too(client: Client, alice: User) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    body = {"nickname": "Alice B", "picture": SimpleUploadedFile("me.png", make_picture("PNG"), "image/png")}
    assert client.post("/me/edit/", body).status_code == 302
    alice.refresh_from_db()
    assert (alice.nickname, bool(alice.avatar), alice.city) == ("Alice B", True, "")


def test_the_profile_page_names_what_is_wrong(client: Client, alice: User) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    body = {"nickname": "", "is_staff": "on", "picture": SimpleUploadedFile("me.png", b"text", "image/png")}
    answer = client.post("/me/edit/", body)
    assert answer.status_code == 422
    assert "no picture we can read" in answer.content.decode()
    alice.refresh_from_db()
    assert (alice.nickname, alice.is_staff) == ("Alice", False)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_picture_is_taken_away_with_its_file(me: Client, alice: User) -> None:
    upload(me, make_picture())
    alice.refresh_from_db()
    old = str(alice.avatar)
    assert me.get(alice.avatar.url, {"width": 160}).status_code == 200
    small = old.replace(".webp", "-160.webp")
    assert default_storage.exists(small)
    for _ in range(2):
        answer = me.delete("/api/me/avatar")
        assert (answer.status_code, answer.json()["avatar"]) == (200, None)
    assert not default_storage.exists(old)
    assert not default_storage.exists(small)
    assert Client().delete("/api/me/avatar").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_the_profile_page_takes_a_picture_away(client: Client, alice: User) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    assert "Remove my picture" not in client.get("/me/edit/").content.decode()
    file = SimpleUploadedFile("me.png", make_picture("PNG"), "image/png")
    client.post("/me/edit/", {"nickname": "Alice", "picture": file, "without_picture": "on"})
    alice.refresh_from_db()
    assert alice.avatar, "a new picture counts more than the wish to have none"
    assert "Remove my picture" in client.get("/me/edit/").content.decode()
    client.post("/me/edit/", {"nickname": "Alice", "without_picture": "on"})
    alice.refresh_from_db()
    assert not alice.avatar


@pytest.mark.parametrize("page", ["/me/edit/", "/welcome/"])
@pytest.mark.parametrize("face", [avatars.FACES[0], avatars.FACES[-1]])
def test_a_drawn_face_is_taken_as_a_picture(client: Client, alice: User, page: str, face: str) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    assert f'value="{face}"' in client.get(page).content.decode()
    assert client.post(page, {"nickname": "Alice", "face": face}).status_code == 302
    alice.refresh_from_db()
    with Image.open(alice.avatar) as kept, Image.open(BytesIO(avatars.draw_face(face))) as drawing:
        assert (kept.format, kept.size) == ("WEBP", (avatars.SIDE_PIXELS, avatars.SIDE_PIXELS))
        differences = ImageChops.difference(kept.convert("RGB"), drawing.convert("RGB"))
    assert max(ImageStat.Stat(differences).mean) < 6
    assert re.fullmatch(r"avatars/[0-9a-f]{32}\.webp", str(alice.avatar))


@pytest.mark.parametrize("face", ["00", "../icons", "01.svg", "脸", "\x00", "01\n"])
def test_no_other_drawing_becomes_a_picture(client: Client, alice: User, face: str) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    answer = client.post("/me/edit/", {"nickname": "Alice", "face": face})
    assert answer.status_code == 422
    assert "no picture we can read" in answer.content.decode()
    alice.refresh_from_db()
    assert not alice.avatar


def test_a_picture_counts_more_than_a_face_and_a_face_more_than_none(client: Client, alice: User) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    file = SimpleUploadedFile("me.png", make_picture("PNG", colour="blue"), "image/png")
    client.post("/me/edit/", {"nickname": "Alice", "picture": file, "face": avatars.FACES[0]})
    alice.refresh_from_db()
    with Image.open(alice.avatar) as kept:
        red, _green, blue = ImageStat.Stat(kept.convert("RGB")).mean
    assert blue > 200 > red
    sent = {"nickname": "Alice", "face": avatars.FACES[0], "without_picture": "on"}
    client.post("/me/edit/", sent)
    alice.refresh_from_db()
    assert alice.avatar


def test_the_faces_differ() -> None:
    assert len(avatars.FACES) == 24
    assert len({avatars.draw_face(name) for name in avatars.FACES}) == 24
