"""Bodies behind the nginx that we ship: none lies on its disk, strangers' are refused, slow ones end."""

import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from apps.front.connection import GRACE_SECONDS
from tests.sites import wait_until
from tests.web.test_nginx import Front, front

__all__ = ["front"]
pytestmark = [pytest.mark.wide, pytest.mark.nginx, pytest.mark.curl, pytest.mark.timeout(600)]
IMPORT = "/admin/shops/shop/import/"
MEGABYTE = 1024 * 1024
#: Prints the cookies of a session of the admin, with the token that a form would have.
LOG_IN = """
from django.conf import settings
from django.test import Client
from tests.factories import UserFactory
manager = UserFactory.create(superuser=True, phone="+8613900000001", password="manager-password")
browser = Client()
browser.force_login(manager)
browser.get("/admin/", secure=True, headers={"host": "localhost"})
print("cookies", "; ".join(f"{name}={one.value}" for name, one in browser.cookies.items()))
"""


@pytest.fixture(scope="module")
def session(front: Front) -> str:
    """The cookies of a manager: made by a process with the settings of production, and so with its key."""
    return front.proxy.site.manage("shell", "-c", LOG_IN).partition("cookies ")[2].strip()


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 60 MB, which nginx takes for imports alone."""
    file = tmp_path_factory.mktemp("large") / "rows.csv"
    file.write_bytes(b"name\n" * (12 * MEGABYTE))
    return file


def list_stored(front: Front) -> list[str]:
    """The files of requests' bodies that nginx has on its disk."""
    return [path.name for path in (front.proxy.directory / "client_body").rglob("*") if path.is_file()]


@contextmanager
def hold(front: Front, head: str, body: bytes = b"") -> Iterator[ssl.SSLSocket]:
    """A connection that has sent a head and the beginning of its body, and sends no more by itself."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", front.proxy.tls_port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        connection.settimeout(6 * GRACE_SECONDS)
        connection.sendall(head.encode() + body)
        yield connection


def build_head(path: str, *, length: int, cookie: str = "", method: str = "POST") -> str:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: multipart/form-data; boundary=x",
        f"Content-Length: {length}",
        "Sec-Fetch-Site: same-origin",
        *([f"Cookie: {cookie}"] if cookie else []),
    ]
    return "\r\n".join([*lines, "", ""])


def read_status(connection: ssl.SSLSocket) -> int:
    """The status of the answer; 0 when the connection ends without one."""
    line = connection.recv(4_096).split(b"\r\n")[0]
    return int(line.split()[1]) if line else 0


@pytest.mark.parametrize("cookie", ["", "__Host-csrftoken=" + "a" * 32])
@pytest.mark.parametrize(
    ("path", "method", "megabytes"),
    [
        (IMPORT, "POST", 60),
        (IMPORT, "PUT", 60),
        ("/notes/new/", "POST", 11),
        ("/notes/new/", "DELETE", 11),
        ("/admin/ads/ad/add/", "POST", 11),
        ("/api/photos", "POST", 11),
    ],
)
def test_a_stranger_is_answered_before_the_body(
    front: Front, path: str, method: str, megabytes: int, cookie: str
) -> None:
    """A body begins and goes on no more: there is an answer all the same, and nothing on a disk."""
    head = build_head(path, length=megabytes * MEGABYTE, cookie=cookie, method=method)
    with hold(front, head, b"x" * 65_536) as connection:
        assert read_status(connection) in {302, 401, 403, 405}
        assert list_stored(front) == []


def test_curl_stops_when_it_is_refused(front: Front, large_file: Path) -> None:
    """At 2 MB a second the file would take half a minute."""
    sent = ["curl", "--silent", "--insecure", "--http1.1", "--output", "/dev/null", "--limit-rate", "2M"]
    sent += ["--form", f"import_file=@{large_file}", "--write-out", "%{http_code} %{size_upload}"]
    done = subprocess.run([*sent, f"{front.proxy.base_url}{IMPORT}"], capture_output=True, check=False)
    status, size = done.stdout.split()
    assert int(status) in {302, 403}
    assert int(size) < large_file.stat().st_size / 2


def test_whole_files_arrive(front: Front, session: str, tmp_path: Path) -> None:
    """A picture of a megabyte becomes a photo; a file of rows is kept for who has the form's token alone."""
    noise = Image.effect_noise((1_100, 1_100), 90)
    noise.save(tmp_path / "noise.png")
    assert (tmp_path / "noise.png").stat().st_size > MEGABYTE
    bearer = ("--header", f"Authorization: Bearer {front.tokens[1]}")
    sent = front.send("/api/photos", *bearer, "--form", f"photo=@{tmp_path / 'noise.png'};type=image/png")
    assert sent.status == 201, sent.body
    rows = tmp_path / "rows.csv"
    rows.write_text("name,address\n" + "A shop,A street\n" * 100_000)
    token = re.findall(r"csrftoken=(\w+)", session)[0]
    for given, status in ((token, 302), ("a" * len(token), 403)):
        form = [
            f"csrfmiddlewaretoken={given}",
            f"import_file=@{rows};type=text/csv",
            "format=0",
            "resource=0",
        ]
        words = [word for field in form for word in ("--form", field)]
        own = ("--cookie", session, "--header", f"Referer: {front.proxy.base_url}/")
        answer = front.send(IMPORT, *words, *own, "--header", f"Origin: {front.proxy.base_url}")
        assert answer.status == status, answer.body


@pytest.mark.parametrize(
    ("path", "size", "is_too_large"),
    [
        ("/login/", 2 * MEGABYTE, True),
        ("/notes/1/comments/", 2 * MEGABYTE, True),
        ("/admin/login/", 2 * MEGABYTE, True),
        ("/notes/new/", 2 * MEGABYTE, False),
        ("/notes/new/", 13 * MEGABYTE, True),
        ("/chats/1/messages/", 2 * MEGABYTE, False),
        ("/admin/ads/ad/1/change/", 2 * MEGABYTE, False),
        (IMPORT, 13 * MEGABYTE, False),
        (IMPORT, 65 * MEGABYTE, True),
        ("/admin/shops/shop/import", 2 * MEGABYTE, True),
        ("/api/me", 65 * 1024, True),
        ("/api/photos", 2 * MEGABYTE, False),
    ],
)
def test_more_than_a_megabyte_goes_where_files_go(
    front: Front, path: str, size: int, is_too_large: bool
) -> None:
    with hold(front, build_head(path, length=size)) as connection:
        assert (read_status(connection) == 413) is is_too_large


def test_an_address_sends_two_imports_at_once(front: Front, session: str) -> None:
    head = build_head(IMPORT, length=60 * MEGABYTE, cookie=session)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(hold(front, head, b"x" * 65_536))
        page = partial(front.send, IMPORT, "--cookie", session)
        wait_until(lambda: page().status == 429, seconds=GRACE_SECONDS, otherwise="a third is let in")
        assert front.send("/healthz").status == 200
        assert list_stored(front) == []
    wait_until(lambda: page().status == 200, seconds=60, otherwise="the two are counted for ever")


def test_slow_bodies_end(front: Front, session: str) -> None:
    """Of whom the site waits for, and of others; nginx alone would wait for each next byte."""
    heads = {
        "import": build_head(IMPORT, length=60 * MEGABYTE, cookie=session),
        "picture": build_head("/me/edit/", length=11 * MEGABYTE, cookie=front.cookie(0)[1]),
        "form": build_head("/login/", length=60_000),
    }
    with ExitStack() as held:
        begun = {name: held.enter_context(hold(front, head, b"x")) for name, head in heads.items()}
        ended = dict[str, int]()

        def drip() -> bool:
            for name in begun.keys() - ended.keys():
                begun[name].settimeout(0.05)
                try:
                    begun[name].sendall(b"x")
                    ended[name] = read_status(begun[name])
                except TimeoutError:
                    continue
                except OSError:
                    ended[name] = 0
            return len(ended) == len(begun)

        wait_until(drip, seconds=3 * GRACE_SECONDS, every=0.5, otherwise=f"still there but for {ended}")
    assert set(ended.values()) <= {0, 408, 502}
    assert list_stored(front) == []
