"""Behind nginx nobody gets a page in another's language or city, whatever strangers send before."""

import subprocess
from collections.abc import Sequence
from itertools import cycle, product

import pytest

from apps.front.documents import variants
from tests.factories import CityFactory
from tests.front.documents.test_real_pages import PAGES
from tests.web.test_nginx import KNOWN, Front, Reply, front

__all__ = ["front"]
pytestmark = [pytest.mark.wide, pytest.mark.nginx]
CITIES = ["hangzhou", "shanghai", "all"]
CHOICES = {"django_language": ["en", "zh-hans"], "savor_where": CITIES}
#: In each {} stands a choice that isn't the honest reader's.
POISONED_COOKIES = (
    *("a=1;\t{}", "a=1;{}", "a=1; \t{}", " {}", "a=1;\x0b{}", "a=1;\xa0{}", "a=1,{}", "\t{}", "{};"),
    *("a=1; {}", "{}; {}", "a={}", "x{}", "a=1; {}; b", "; {}", "a; {}", "a=1; {} ", "a=1; {}\t; b=2"),
)
POISONED_HEADERS = (
    *("Accept-Language: zh-CN en-GB", "Accept-Language: ,zh-CN", "Accept-Language: zh-CN\ten-GB"),
    *("Accept-Language: zh-CN,,en-GB;q=0.9", "Accept-Language: zh-CN ; q=1, en-GB;q=0.9"),
    *("Accept-Encoding: gzip br", "Accept-Encoding: ,gzip", "X-Forwarded-Host: evil.example"),
    *("X-Forwarded-Proto: http", "Forwarded: host=evil.example;proto=http", "HX-Request: 0"),
    *("Authorization: 0", "X-HTTP-Method-Override: POST", "X-Original-URL: /help/", "Range: bytes=0-9"),
)
#: Honest readers: what their browser sends.
READERS = [
    ("Accept-Language: en-GB,en;q=0.9", ""),
    ("Accept-Language: zh-CN,zh;q=0.9", ""),
    *(
        ("Accept-Language: en-GB,en;q=0.9", f"django_language={language}; savor_where={city}")
        for language, city in product(*CHOICES.values())
    ),
]
ADDRESSES = cycle(range(1, 255))
#: Goes to the site, which then says what is right.
PAST_NGINX = ("--header", "Authorization: none")
ROWS = """
from conftest import make_cities
from tests.factories import NoteFactory
make_cities()
note = NoteFactory.create()
print("rows", note.pk, note.shop_id, note.shop.type.slug, note.author_id)
"""


@pytest.fixture(scope="module")
def pages(front: Front) -> dict[str, str]:
    """The address of each shared page by its name."""
    printed = front.clerk.run_code(ROWS)
    note, shop, kind, person = printed.partition("rows ")[2].split()[:4]
    return {
        "home": "/",
        "coupons:sales": "/sales/",
        "coupons:sale": f"/vouchers/{front.voucher_id}/",
        "shops:detail": f"/shops/{shop}/",
        "rankings:index": "/rankings/",
        "rankings:type": f"/rankings/{kind}/",
        "blog:hot": "/notes/",
        "blog:note": f"/notes/{note}/",
        "accounts:person": f"/people/{person}/",
        "backoffice:help": "/help/",
        "backoffice:privacy": "/privacy/",
        "backoffice:terms": "/terms/",
        "backoffice:imprint": "/imprint/",
    }


def reading(path: str, reader: tuple[str, str], *more: str) -> list[str]:
    """The request of an honest reader."""
    language, cookies = reader
    cookie = "; ".join(filter(None, (KNOWN, cookies)))
    return [path, "--header", language, "--header", f"Cookie: {cookie}", *more]


def read_all(front: Front, requests: Sequence[list[str]]) -> list[Reply]:
    """Send requests from one address, each time another: nginx limits how many an address sends a second."""
    origin = ("--interface", f"127.0.1.{next(ADDRESSES)}")
    return front.send_all([[*request, *origin] for request in requests])


def ask(front: Front, path: str, *requests: list[str]) -> None:
    """Send requests with these headers, whose answers, perhaps compressed, are of no interest."""
    command = ["curl", "--fail-early"]
    for headers in requests:
        command += ["--silent", "--insecure", "--max-time", "60", "--output", "/dev/null"]
        command += [word for header in headers for word in ("--header", header)]
        command += [f"{front.proxy.base_url}{path}", "--next"]
    subprocess.run(command[:-1], check=True)


def poison(front: Front, path: str, form: str) -> None:
    """Ask for a page with every choice of the two cookies written in this form."""
    pairs = [f"{name}={value}" for name, values in CHOICES.items() for value in values]
    ask(front, path, *([f"Cookie: {KNOWN}; {form.format(pair, pair)}"] for pair in pairs))


def assert_readers_get_their_own(front: Front, path: str, after: str) -> None:
    replies = read_all(front, [reading(path, reader) for reader in READERS])
    expected = read_all(front, [reading(path, reader, *PAST_NGINX) for reader in READERS])
    for reader, got, right in zip(READERS, replies, expected, strict=True):
        assert right.headers["x-cache"] == "BYPASS"
        assert (got.status, got.body) == (right.status, right.body), (path, reader, after)


def test_every_shared_page_is_walked(pages: dict[str, str]) -> None:
    assert set(pages) == set(PAGES)
    paths = {path for path, _variant in variants.VARIANTS.items()}
    assert paths == {"/", "/notes/", "/rankings/", "/rankings/*"}, (
        "$has_cities of deploy/nginx.conf names them"
    )


def test_readers_of_different_cities_and_languages_get_their_own(front: Front, pages: dict[str, str]) -> None:
    for path in pages.values():
        assert_readers_get_their_own(front, path, "nothing")
    replies = read_all(front, [reading("/rankings/", reader) for reader in READERS])
    shown = {reply.body for reply in replies}
    assert len(shown) == 6


def test_their_pages_come_from_nginx(front: Front, pages: dict[str, str]) -> None:
    for path in pages.values():
        for reader in READERS:
            _first, second = read_all(front, [reading(path, reader)] * 2)
            assert second.headers["x-cache"] in {"HIT", "STALE", "UPDATING"}, (path, reader)


@pytest.mark.parametrize("form", POISONED_COOKIES)
@pytest.mark.parametrize("name", ["home", "rankings:type", "coupons:sale"])
def test_no_cookie_puts_a_page_under_another_key(
    front: Front, pages: dict[str, str], name: str, form: str
) -> None:
    poison(front, pages[name], form)
    assert_readers_get_their_own(front, pages[name], form)


@pytest.mark.parametrize("header", POISONED_HEADERS)
def test_no_header_does(front: Front, pages: dict[str, str], header: str) -> None:
    for name in ("home", "rankings:index", "coupons:sale"):
        ask(front, pages[name], [header, f"Cookie: {KNOWN}"])
        assert_readers_get_their_own(front, pages[name], header)


def test_a_position_is_a_city_that_the_site_knows(front: Front, pages: dict[str, str]) -> None:
    at = CityFactory.build(shanghai=True).centre
    for separator in (",", "%2C"):
        reader = ("Accept-Language: en", f"savor_where={at.lat}{separator}{at.lng}")
        got, other = read_all(front, [reading("/rankings/", reader), reading("/help/", reader)])
        assert got.headers["x-cache"] == "BYPASS"
        assert "Shanghai" in got.body.partition("<main")[2][:2_000]
        assert other.headers["x-cache"] != "BYPASS"
