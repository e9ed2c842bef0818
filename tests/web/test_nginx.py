"""The production settings behind a real nginx with the configuration that we ship."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, expect

from apps.accounts.limits import SEND_BY_SITE
from apps.redis_kit import limiter
from apps.uv import visitors
from apps.web import client_address
from tests.books import Books
from tests.chromium_pages import wait_for_scripts
from tests.crowd import site_setup
from tests.faults.management_process import ManagementProcess
from tests.nginx_proxy import NginxProxy
from tests.sites import Site, free_port, wait_until

pytestmark = [pytest.mark.wide, pytest.mark.nginx]

#: What curl writes after each answer: the HTTP version, and a character that no page has.
ENDING, END = "\n%{http_version}\x1e", "\x1e"
PRODUCTION = {
    "DEMO": "0",
    "FAULT_INJECTION": "0",
    "SECURE": "1",
    "SECRET_KEY": "a-strong-key-" + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "TRUSTED_PROXIES": "1",
    "ALLOWED_HOSTS": "localhost,127.0.0.1",
}
#: Where a visitor has been before: no new cookie keeps the page from the cache.
with override_settings(SECRET_KEY=PRODUCTION["SECRET_KEY"]):
    KNOWN = f"savor_visitor={visitors.new_value()}"


@dataclass(frozen=True)
class Reply:
    """What curl received: the status, the HTTP version, the headers in small letters, the body."""

    status: int
    version: str
    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class Front:
    """A site in production behind nginx, with a sale and people's tokens; `clerk` runs commands there."""

    proxy: NginxProxy
    clerk: ManagementProcess
    voucher_id: int
    tokens: list[str]

    def send(self, path: str, *options: str, url: str = "") -> Reply:
        """Send a request with curl, over TLS unless another base URL is given."""
        [reply] = self.send_all([(path, *options)], url=url)
        return reply

    def send_all(self, requests: Sequence[Sequence[str]], url: str = "") -> list[Reply]:
        """Send requests, each a path and curl's options, one after another by one curl."""
        command = ["curl", "--fail-early"]
        for path, *options in requests:
            command += ["--silent", "--insecure", "--include", "--max-time", "60", "--write-out", ENDING]
            command += [*options, f"{url or self.proxy.base_url}{path}", "--next"]
        done = subprocess.run(command[:-1], capture_output=True, check=True).stdout.decode()
        return [read_reply(text) for text in done.removesuffix(END).split(END)]

    def claim(self, *options: str) -> Reply:
        return self.send(f"/vouchers/{self.voucher_id}/grab/", "--request", "POST", *options)

    def cookie(self, person: int) -> tuple[str, str]:
        """The curl options of a browser in which this person is logged in."""
        return ("--cookie", f"__Host-savor_token={self.tokens[person]}; {KNOWN}")


def read_reply(printed: str) -> Reply:
    text, _, version = printed.rpartition("\n")
    head, _, body = text.replace("HTTP/1.1 100 Continue\r\n\r\n", "").partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    return Reply(int(status.split()[1]), version, {key.lower(): headers[key] for key in headers}, body)


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    site = Site(tmp_path_factory.mktemp("site"))
    with site, ManagementProcess(site.environment) as clerk:
        tokens = site_setup.create_people(clerk, 5)
        voucher_id = site_setup.create_sale(clerk, stock=100)
        # The load lab's shop is hidden from people.
        clerk.run_code("from apps.shops.models import Shop; Shop.objects.update(is_listed=True)")
        site.environment |= PRODUCTION | {"PICTURES_BY_NGINX": "1"}
        site.start("web")
        with NginxProxy(tmp_path_factory.mktemp("nginx"), site) as proxy:
            yield Front(proxy, clerk, voucher_id, tokens)


def test_http_is_redirected_once_to_https_and_http_2(front: Front) -> None:
    plain = front.send("/sales/?tab=coming", url=f"http://localhost:{front.proxy.port}")
    assert (plain.status, plain.headers["location"]) == (301, "https://localhost/sales/?tab=coming")
    secure = front.send("/sales/")
    assert (secure.status, secure.version) == (200, "2")
    assert secure.headers["strict-transport-security"].startswith("max-age=")


def test_a_certificate_is_renewed_by_both_versions_of_ip(front: Front) -> None:
    challenge = front.proxy.directory / "acme" / ".well-known" / "acme-challenge" / "token"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof")
    for address in ("127.0.0.1", front.proxy.other_address.strip("[]")):
        resolve = ("--resolve", f"localhost:{front.proxy.port}:{address}")
        url = f"http://localhost:{front.proxy.port}"
        answer = front.send("/.well-known/acme-challenge/token", *resolve, url=url)
        assert (answer.status, answer.body) == (200, "proof"), address
        resolve = ("--resolve", f"localhost:{front.proxy.tls_port}:{address}")
        assert front.send("/healthz", *resolve).status == 200, address


def test_another_name_gets_no_answer(front: Front) -> None:
    named = f"evil.example:{front.proxy.tls_port}"
    command = ["curl", "--silent", "--insecure", "--resolve", f"{named}:127.0.0.1", f"https://{named}/"]
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_a_browser_claims_by_its_cookie_and_origin(front: Front) -> None:
    own = front.claim(*front.cookie(0), "--header", f"Origin: {front.proxy.base_url}")
    assert own.status in (302, 303)
    assert "/orders/" in own.headers["location"]
    evil = front.claim(*front.cookie(1), "--header", "Origin: https://evil.example")
    assert evil.status == 403


@pytest.mark.browser
def test_a_person_grabs_in_chromium_over_http_2(front: Front, browser: Browser) -> None:
    """Sec-Fetch-Site and the __Host- cookie as a browser has them, which curl only plays."""
    context = browser.new_context(base_url=front.proxy.base_url, ignore_https_errors=True, locale="en-GB")
    token = {"name": "__Host-savor_token", "value": front.tokens[4], "secure": True}
    context.add_cookies([{**token, "url": front.proxy.base_url}])  # type: ignore[typeddict-item]
    page = context.new_page()
    page.goto(f"/vouchers/{front.voucher_id}/")
    wait_for_scripts(page)
    assert page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
    page.locator("form[action$='/grab/'] button[type=submit]").first.click()
    expect(page.locator("[data-when=got] a[href*='/orders/']")).to_be_visible()
    context.close()


def test_a_program_claims_by_its_token(front: Front) -> None:
    bearer = ("--request", "POST", "--header", f"Authorization: Bearer {front.tokens[2]}")
    assert front.send(f"/api/vouchers/{front.voucher_id}/seckill", *bearer).status == 201


def test_a_client_can_not_say_where_it_comes_from(front: Front) -> None:
    forged = ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"]
    headers = [word for header in forged for word in ("--header", header)]
    claimed = front.claim(*front.cookie(3), *headers, "--header", "Origin: https://evil.example")
    assert claimed.status == 403
    data = ("--json", json.dumps({"phone": "+8613900000001"}), "--interface", "127.0.0.2")
    front.send("/api/auth/code", *data, *headers)
    with Books(database_url="", redis_url=front.proxy.site.redis_url).redis() as connected:
        counted = [
            limiter.build_key(SEND_BY_SITE, client_address.site_network(ip)) in connected
            for ip in ("127.0.0.2", "203.0.113.9")
        ]
    assert counted == [True, False]


def test_a_stream_passes_as_it_comes(front: Front) -> None:
    command = ["curl", "--silent", "--insecure", "--no-buffer", "--header", "Accept: text/event-stream"]
    url = f"{front.proxy.base_url}/api/vouchers/{front.voucher_id}/stock"
    with subprocess.Popen([*command, url], stdout=subprocess.PIPE) as stream:
        assert stream.stdout
        lines = (line for line in stream.stdout if line.startswith(b"data: "))
        assert "left" in json.loads(next(lines).removeprefix(b"data: "))
        assert stream.poll() is None, "the site ended the stream before nginx passed it on"
        stream.terminate()


@pytest.mark.parametrize(("path", "size"), [("/api/auth/code", 70_000), ("/api/photos", 13_000_000)])
def test_a_body_past_the_limit_is_a_problem(front: Front, path: str, size: int, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(b"x" * size)
    answer = front.send(path, "--data-binary", f"@{body}")
    assert (answer.status, json.loads(answer.body)["code"]) == (413, "too_large")


def test_a_page_for_everybody_is_served_by_nginx(front: Front) -> None:
    path, known = f"/vouchers/{front.voucher_id}/", ("--cookie", KNOWN)
    first = front.send(path, *known)
    later = [front.send(path, *known) for _ in range(3)]
    assert first.headers["cache-control"] == "no-cache"
    assert {reply.headers["x-cache"] for reply in later} <= {"HIT", "STALE", "UPDATING"}
    assert {reply.body for reply in later} == {first.body}
    part = front.send(path, *known, "--header", "HX-Request: true")
    assert part.headers["x-cache"] == "BYPASS"


def test_a_persons_page_is_never_kept(front: Front) -> None:
    for person in (0, 1, 0):
        mine = front.send("/me/", *front.cookie(person))
        assert (mine.status, mine.headers["x-cache"]) == (200, "MISS")
    assert front.send("/me/", "--cookie", KNOWN).status == 302


def test_static_files_come_compressed_and_stay(front: Front) -> None:
    manifest = json.loads((front.proxy.site.directory / "static" / "staticfiles.json").read_text())
    named = front.send(
        f"/static/{manifest['paths']['js/app.js']}", "--header", "Accept-Encoding: gzip", "--head"
    )
    assert (named.status, named.headers["content-encoding"]) == (200, "gzip")
    assert "immutable" in named.headers["cache-control"]
    assert "immutable" not in front.send("/static/js/app.js", "--head").headers["cache-control"]


#: A picture of each kind, by the folder and the name that its row has.
PICTURES = """
from tests.sample_pictures import make_picture
from apps.accounts.pictures.drawing import Drawn
from apps.accounts.models import User
from apps.accounts.profiles import avatars
from apps.blog.writing import photos
alice = User.objects.order_by("pk")[0]
avatars.store(alice, make_picture("WEBP"))
photo = photos.store(alice, Drawn(400, 300, (make_picture("WEBP"), make_picture("WEBP"))))
print("pictures", alice.avatar.url, photo.url, photo.card_url)
"""


def test_a_picture_is_sent_by_nginx_and_kept(front: Front) -> None:
    """The site says that it is there; its bytes go through no thread of the site."""
    paths = front.clerk.run_code(PICTURES).split()[-3:]
    for path in paths:
        first, second = (
            front.send(path, "--cookie", f"django_language=de; {KNOWN}", "--head") for _ in range(2)
        )
        assert (first.headers["x-cache"], second.headers["x-cache"]) == ("MISS", "HIT")
        for reply in (first, second):
            assert (reply.status, reply.headers["content-type"]) == (200, "image/webp")
            assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert "vary" not in reply.headers
            assert "sandbox" in reply.headers["content-security-policy"]
            assert reply.headers["x-content-type-options"] == "nosniff"
        assert int(second.headers["content-length"]) > 100
        # What the site itself answers: where the file is, and nothing of it.
        own = ("--header", "X-Forwarded-Proto: https", "--header", "X-Forwarded-For: 127.0.0.1")
        site = front.send(path, *own, url=front.proxy.site.base_url)
        assert (site.status, site.headers["content-length"], site.body) == (200, "0", "")
        assert site.headers["x-accel-redirect"] == path.replace("/media/", "/stored-pictures/")
        assert "vary" not in site.headers


def test_no_reader_names_a_file_to_nginx(front: Front) -> None:
    path = front.clerk.run_code(PICTURES).split()[-1]
    stored = path.replace("/media/", "/stored-pictures/")
    pictures = f"http://127.0.0.1:{front.proxy.pictures_port}"
    for url in (front.proxy.base_url, pictures):
        for target in (
            stored,
            f"/media/..{stored}",
            f"/media/%2e%2e{stored}",
            f"{stored}/../../savor.sqlite3",
        ):
            assert front.send(target, "--path-as-is", url=url).status in (400, 404), target
    forged = ("--header", f"X-Accel-Redirect: {stored}", "--header", "X-Sendfile-Type: X-Accel-Redirect")
    assert front.send("/media/notes/" + "0" * 32 + ".webp", *forged).status == 404


def test_a_deleted_picture_is_gone_when_its_minute_is_over(front: Front, tmp_path: Path) -> None:
    path = front.clerk.run_code(PICTURES).split()[-2]
    with NginxProxy(tmp_path, front.proxy.site, {"200 302 1m": "200 302 1s"}) as proxy:
        assert front.send(path, "--head", url=proxy.base_url).status == 200
        front.clerk.run_code("from apps.blog.models import Photo; Photo.objects.all().delete()")
        gone = partial(front.send, path, "--head", url=proxy.base_url)
        wait_until(lambda: gone().status == 404, seconds=20, otherwise="nginx goes on sending it")


def test_of_several_hosts_a_dead_one_is_passed_over(front: Front, tmp_path: Path) -> None:
    """Claims too, which nginx sends to a second host only where the first has heard nothing of them."""
    alive = f"127.0.0.1:{front.proxy.site.port}"
    several = {
        f"server {alive} max_fails=0;": "",
        "# server 10.0.0.11:8000": f"server 127.0.0.1:{free_port()}",
        "# server 10.0.0.12:8000": f"server {alive}",
        "proxy_bind $address_to_site;": "",
    }
    with NginxProxy(tmp_path, front.proxy.site, several) as proxy:
        url, owned = proxy.base_url, ("--header", f"Authorization: Bearer {front.tokens[2]}")
        claim = f"/api/vouchers/{front.voucher_id}/seckill"
        claims = [front.send(claim, "--request", "POST", *owned, url=url).status for _ in range(6)]
        pages = [front.send("/healthz", url=url).status for _ in range(6)]
    assert set(claims) <= {201, 409}
    assert set(pages) == {200}
