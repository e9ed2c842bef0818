"""Pictures in a bucket: on a real server like S3, and where the bucket refuses or is away."""

import urllib.request
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from moto.server import ThreadedMotoServer
from pytest_django.fixtures import Settings

from apps.accounts.deletion import deletions
from apps.accounts.models import AccountDeletion, User
from apps.accounts.profiles import avatars
from apps.blog.writing import photos
from apps.web.problems.translation import StorageUnavailable
from config import bucket_url
from tests import http_double
from tests.accounts.conftest import issue_cached_token
from tests.factories import ShopFactory
from tests.http_double import Answer
from tests.sample_pictures import make_picture
from tests.sites import free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]
NAME = "pictures"

KEY = "s3://AKIA:hid%2Fden@"


def use_bucket(settings: Settings, endpoint: str) -> bucket_url.Bucket:
    """Have the site keep its pictures in a bucket of this server."""
    bucket = bucket_url.parse(f"s3://AKIA:hidden@/{NAME}?endpoint={endpoint}")
    backend = {"BACKEND": "apps.web.bucket_storage.BucketStorage", "OPTIONS": bucket.options}
    settings.MEDIA_BUCKET, settings.STORAGES = bucket, settings.STORAGES | {"default": backend}
    return bucket


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    started = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    yield f"http://{host}:{port}"
    started.stop()


@pytest.fixture
def bucket(server: str, settings: Settings) -> bucket_url.Bucket:
    """An empty bucket, which holds the site's pictures."""
    made = use_bucket(settings, server)
    keys = {"aws_access_key_id": made.key, "aws_secret_access_key": made.secret}
    resource = boto3.resource("s3", endpoint_url=server, region_name=made.region, **keys)
    resource.create_bucket(Bucket=NAME)
    resource.Bucket(NAME).objects.all().delete()
    return made


def list_names() -> set[str]:
    folders = default_storage.listdir("")[0]
    return {f"{folder}/{name}" for folder in folders for name in default_storage.listdir(folder)[1]}


def send_avatar(client: Client, user: User) -> int:
    client.cookies["savor_token"] = issue_cached_token(user)
    body = {"nickname": "Alice", "picture": SimpleUploadedFile("me.png", make_picture("PNG"), "image/png")}
    return client.post("/me/edit/", body).status_code


def test_an_avatar_is_loaded_from_the_bucket(client: Client, alice: User, bucket: bucket_url.Bucket) -> None:
    assert send_avatar(client, alice) == 302
    alice.refresh_from_db()
    assert list_names() == {alice.avatar.name}
    assert alice.avatar.url == f"/media/{alice.avatar.name}"
    assert alice.avatar.url in client.get(f"/people/{alice.pk}/").content.decode()
    answer = client.get(alice.avatar.url)
    address = urlsplit(answer["Location"])
    assert (answer.status_code, f"{address.scheme}://{address.netloc}") == (302, bucket.origin)
    assert answer["Cache-Control"] == "max-age=43200, public, immutable"
    assert not answer.has_header("Vary")
    query = parse_qs(address.query)
    assert query["X-Amz-Expires"] == ["86400"]
    assert len(query["X-Amz-Signature"][0]) == 64
    assert "hidden" not in answer["Location"]
    with urllib.request.urlopen(answer["Location"]) as loaded:
        assert loaded.headers["Content-Type"] == "image/webp"
        assert loaded.headers["Cache-Control"] == "private, max-age=31536000, immutable"
        assert loaded.read().startswith(b"RIFF")


def test_a_hidden_avatar_moves_and_comes_back(client: Client, alice: User, bucket: bucket_url.Bucket) -> None:
    send_avatar(client, alice)
    alice.refresh_from_db()
    name = alice.avatar.name or ""
    avatars.set_aside(alice)
    # Its redirect would lead to no object any more.
    assert not default_storage.exists(name)
    assert default_storage.exists(f"hidden/{name}")
    avatars.bring_back(alice, name)
    assert list_names() == {name}


def test_photos_and_their_small_ones_are_drawn_and_deleted(
    client: Client, alice: User, manager: User, bucket: bucket_url.Bucket
) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    sent = client.post("/notes/photos/", {"photo": SimpleUploadedFile("p.jpg", make_picture(), "image/jpeg")})
    assert sent.status_code == 201
    photo = alice.photos.get()
    assert list_names() == {photos.file_path(photo.name), photos.file_path(f"{photo.name}-card")}
    assert client.get(sent.json()["card_url"])["Location"].startswith(f"{bucket.origin}/{NAME}/notes/")
    client.force_login(manager)
    thumbnail = client.get(f"/admin/blog/photo/{photo.pk}/thumbnail/")
    assert (thumbnail.status_code, thumbnail.content[:4]) == (200, b"RIFF")
    photos.delete_unattached(photo)
    assert list_names() == set()
    assert client.get(f"/admin/blog/photo/{photo.pk}/thumbnail/").status_code == 404


def test_a_drawn_cover_is_kept_in_the_bucket(client: Client, bucket: bucket_url.Bucket) -> None:
    shop = ShopFactory.create()
    for _ in range(2):
        answer = client.get(f"/covers/{shop.pk}.png")
        assert (answer.status_code, answer.has_header("ETag")) == (302, False)
        assert "604800" not in answer["Cache-Control"]
    with urllib.request.urlopen(answer["Location"]) as loaded:
        assert (loaded.headers["Content-Type"], loaded.read(4)) == ("image/png", b"\x89PNG")
    assert len(list_names()) == 1


@pytest.fixture
def texts(settings: Settings) -> None:
    """Log-in codes are taken by a recorder."""
    settings.SMS_SENDER = "tests.accounts.sms_recorder.RecordingSender"


def purge(alice: User) -> None:
    code = deletions.begin(alice, ip="127.0.0.1")
    deletions.request(alice, code, ip="127.0.0.1")
    deletions.purge(AccountDeletion.objects.get(pk=alice.pk))


@pytest.mark.usefixtures("texts")
def test_an_erased_person_leaves_no_picture(client: Client, alice: User, bucket: bucket_url.Bucket) -> None:
    send_avatar(client, alice)
    alice.refresh_from_db()
    purge(alice)
    assert list_names() == set()


@pytest.fixture(params=["away", "refusing", "broken"])
def bad_bucket(request: pytest.FixtureRequest, settings: Settings) -> Iterator[None]:
    """A bucket that answers nothing, 403, or 500 with what is no XML."""
    with http_double.serve() as double:
        refusal = b"<Error><Code>AccessDenied</Code></Error>"
        double.answer = lambda _: Answer(403, refusal) if request.param == "refusing" else Answer(500, b"?")
        away = f"http://127.0.0.1:{free_port()}"
        use_bucket(settings, away if request.param == "away" else double.url)
        yield


@pytest.mark.usefixtures("bad_bucket")
def test_without_its_bucket_the_site_takes_no_picture_and_goes_on(client: Client, alice: User) -> None:
    assert send_avatar(client, alice) == 503
    bearer = {"Authorization": f"Bearer {client.cookies['savor_token'].value}"}
    files = {"photo": SimpleUploadedFile("p.jpg", make_picture(), "image/jpeg")}
    sent = client.post("/notes/photos/", files)
    assert (sent.status_code, sent.json()["code"]) == (503, "busy")
    picture = {"picture": SimpleUploadedFile("me.jpg", make_picture(), "image/jpeg")}
    assert client.post("/api/me/avatar", picture, headers=bearer).status_code == 503
    User.objects.filter(pk=alice.pk).update(avatar="avatars/" + "0" * 32 + ".webp")
    # Pages name pictures, and browsers are sent to the bucket, without a word with it.
    assert "/media/avatars/" in client.get(f"/people/{alice.pk}/").content.decode()
    assert client.get("/media/avatars/" + "0" * 32 + ".webp").status_code == 302
    assert client.delete("/api/me/avatar", headers=bearer).status_code == 200
    alice.refresh_from_db()
    assert not alice.avatar
    assert not alice.photos.exists()


@pytest.mark.usefixtures("bad_bucket", "texts")
def test_nobody_is_erased_before_their_picture_is(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(avatar="avatars/" + "0" * 32 + ".webp")
    alice.refresh_from_db()
    with pytest.raises(StorageUnavailable) as error:
        purge(alice)
    assert "AKIA" not in str(error.value)
    assert AccountDeletion.objects.get(pk=alice.pk).purged_at is None


@pytest.mark.parametrize(
    ("url", "endpoint", "origin"),
    [
        (f"{KEY}s3.example/pictures", "https://s3.example", "https://s3.example"),
        (f"{KEY}s3.example:9000/pictures/", "https://s3.example:9000", "https://s3.example:9000"),
        (f"{KEY}/pictures?endpoint=http://127.0.0.1:9000", "http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        (
            f"{KEY}any/pictures?endpoint=https%3A%2F%2Fs3.example%2F",
            "https://s3.example",
            "https://s3.example",
        ),
        (
            f"{KEY}oss.example/pictures?addressing=virtual",
            "https://oss.example",
            "https://pictures.oss.example",
        ),
    ],
)
def test_a_bucket_is_read(url: str, endpoint: str, origin: str) -> None:
    bucket = bucket_url.parse(url)
    assert (bucket.name, bucket.endpoint, bucket.origin) == ("pictures", endpoint, origin)
    assert (bucket.key, bucket.secret, bucket.region) == ("AKIA", "hid/den", "us-east-1")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("pictures", "is not the URL of a bucket"),
        ("https://AKIA:hidden@s3.example/pictures", "is not the URL of a bucket"),
        ("s3://AKIA:hidden@s3.example/pictures#x", "is not the URL of a bucket"),
        ("s3://AKIA:hidden@s3.example/pic tures", "is not the URL of a bucket"),
        ("s3://AKIA:hid\x00den@s3.example/pictures", "is not the URL of a bucket"),
        ("s3://AKIA:hidden图@s3.example/pictures", "is not the URL of a bucket"),
        ("s3://AKIA:hidden@[::1/pictures", "can't be read as a URL"),
        ("s3://AKIA:hidden@s3.example:port/pictures", "can't be read as a URL"),
        ("s3://s3.example/pictures", "has no key and secret"),
        ("s3://AKIA@s3.example/pictures", "has no key and secret"),
        ("s3://AKIA:hidden@s3.example", "names no bucket"),
        ("s3://AKIA:hidden@s3.example/a/b", "names no bucket"),
        ("s3://AKIA:hidden@s3.example/" + "x" * 64, "names no bucket"),
        ("s3://AKIA:hidden@/pictures", "names no host"),
        (f"{KEY}s3.example/pictures?acl=public", "none of region, endpoint and addressing"),
        (f"{KEY}s3.example/pictures?region=a&region=b", "each once"),
        (f"{KEY}s3.example/pictures?region=", "a region that is no name"),
        (f"{KEY}s3.example/pictures?region=eu%20central", "a region that is no name"),
        (f"{KEY}s3.example/pictures?addressing=dns", "neither path nor virtual"),
        (f"{KEY}/pictures?endpoint=127.0.0.1:9000", "no address of a server"),
        (f"{KEY}/pictures?endpoint=ftp://127.0.0.1", "no address of a server"),
        (f"{KEY}/pictures?endpoint=http://127.0.0.1/path", "no address of a server"),
        (f"{KEY}/pictures?endpoint=http://user:hidden@127.0.0.1", "no address of a server"),
        (f"{KEY}/pictures?endpoint=http://127.0.0.1:port", "no address of a server"),
    ],
)
def test_what_names_no_bucket_is_refused(url: str, text: str) -> None:
    with pytest.raises(ValueError, match=text) as refused:
        bucket_url.parse(url)
    assert "hid" not in str(refused.value)
    assert len(str(refused.value)) < 200
