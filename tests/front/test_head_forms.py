"""Every way to write a head that RFC 9110 and RFC 6265 allow is answered like the plain one by every route.

Each form goes over a socket of its own to uvicorn with the site's protocol: its head, its body in a segment
of its own, and a second request behind it.
"""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httptools
import pytest
import uvicorn

from apps.accounts.models import AccessToken
from apps.accounts.sessions import tokens
from apps.coupons.models import FlashSale
from apps.front.documents import page_requests
from apps.redis_kit import client
from config import asgi
from tests.coupons.conftest import MakeSale, make_sale, shop
from tests.coupons.gateway.claim_shapes import RECEIPT
from tests.factories import UserFactory

__all__ = ["make_sale", "shop"]
pytestmark = pytest.mark.django_db(transaction=True)
#: What differs between two people's answers, or two moments: orders, clocks, ids.
CHANGING = re.compile(r"\b[0-9]{12,}\b|\"id\": ?[0-9]+|Diner [0-9]+|\"joined_at\": \"[^\"]*\"")
MOMENTS = {"date", "expires"}
NEXT = b"GET /healthz HTTP/1.1\r\nHost: testserver\r\nConnection: close\r\n\r\n"
BEARER, COOKIE = "Authorization: Bearer {}", "Cookie: a=b; savor_token={}; c=d"
CHINESE = "Accept-Language: zh-CN,en;q=0.5"
FORMS = {
    BEARER: [
        "Authorization: Bearer {} ",
        "Authorization: Bearer {}\t \t",
        "Authorization: \t  Bearer {}",
        "Authorization:Bearer {}",
        "Authorization: bearer {}",
        "AUTHORIZATION: BEARER   {}  ",
        f"{BEARER}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
        f"{BEARER}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
        f"Connection: ,, upgrade\r\nUpgrade: TLS/1.3\r\nUpgrade: foo/2, bar\r\n{BEARER}",
        f"{BEARER}\r\nUpgrade: h2c",
        f"{BEARER}\r\nExpect: 100-continue",
        f"{BEARER}\r\nExpect: 100-CONTINUE \t",
        f'{BEARER}\r\nExpect: x="y, z", 100-continue',
        f"{BEARER}\r\nExpect: 200-ok",
        f'{BEARER}\r\nAccept: , text/html;q="0.5, 1",,*/*\r\nAccept: application/json',
        f"{BEARER}\r\nUser-Agent: curl/8 (你好)\r\nX-Note:\r\nX-Other: \t",
        f"{BEARER}\r\nAccept-Encoding: , identity ,\r\nAccept-Encoding: ;q=0",
        f"{BEARER}\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 5.6.7.8",
        f"{BEARER}\r\nCookie: a=b\r\nCookie: c=d",
    ],
    COOKIE: [
        "Cookie: a=b; savor_token={}; c=d ",
        "Cookie: a=b\r\nCookie: savor_token={}; c=d",
        "Cookie: savor_token={}\r\nCookie: a=b\r\nAccept: */*\r\nCookie: c=d",
        "cookie:  \ta=b;savor_token={};c=d",
        'Cookie: a=b; savor_token="{}"; c="d"',
        "Cookie: savor_token={}; a=é 你, x; =; c",
        "Cookie: ;; a=b ;\tsavor_token={} ;;",
        "Cookie: xsavor_token=y; savor_tokens=z; savor_token={}",
        "Cookie: savor_token=elder; savor_token={}",
    ],
    f"{BEARER}\r\n{CHINESE}": [
        f"{BEARER}\r\nAccept-Language: zh-CN\r\nAccept-Language: en;q=0.5",
        f"{BEARER}\r\nAccept-Language: , zh-CN ,, en ; q=0.5 ,\t",
        f"{BEARER}\r\nACCEPT-LANGUAGE:ZH-cn, en;Q=0.5",
        f"{CHINESE}\t\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n{BEARER} ",
    ],
    "Cookie: django_language=zh-hans; savor_token={}": [
        'Cookie: django_language="zh-hans"; savor_token={}',
        "Cookie: savor_token={}\r\nCookie: django_language=zh-hans ",
        "Cookie: savor_token={};django_language = zh-hans",
    ],
}


class Target(NamedTuple):
    """What a request asks for; `status` is that of its answer."""

    line: str
    body: bytes
    status: int


CLAIM = Target("POST /api/vouchers/{}/seckill", b'{"request_token": "mine"}', 201)
PERSONAL = Target("GET /api/me/page?sale={}", b"", 200)
DOCUMENT = Target("GET /sales/", b"", 200)
#: Django's view of a program, which knows no cookie, and of a browser.
API = Target("PATCH /api/me", b'{"nickname": "Somebody"}', 200)
PAGE = Target("GET /me/blocks/", b"", 200)


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str


class Client:
    """Reads the answers on one socket; interim ones are counted."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.interim = 0
        self.parser = httptools.HttpResponseParser(self)
        self._headers, self._body = dict[str, str](), b""

    def on_message_begin(self) -> None:
        self._headers, self._body = {}, b""

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode().lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        status = self.parser.get_status_code()
        if status < 200:
            self.interim += 1
        else:
            self.replies.append(Reply(status, self._headers, self._body.decode()))


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """The port of a uvicorn with the site's application and protocol."""
    page_requests.forget_settings()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            asgi.application, http=asgi.HttpProtocol, ws="none", lifespan="off", log_config=None
        )
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listener])
        try:
            yield listener.getsockname()[1]
        finally:
            await server.shutdown(sockets=[listener])
            await client.aclose_all()


async def exchange(port: int, head: bytes, body: bytes) -> list[Reply]:
    """All replies to a message, its body in a segment of its own, and to NEXT behind it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seen = Client()
    writer.write(head)
    await writer.drain()
    writer.write(body + NEXT)
    async with asyncio.timeout(60):
        while data := await reader.read(65_536):
            seen.parser.feed_data(data)
    writer.close()
    return seen.replies


def write_head(target: Target, sale: FlashSale, lines: str, raw: str) -> bytes:
    length = f"Content-Length: {len(target.body)}\r\n" if target.body else ""
    text = f"{target.line.format(sale.pk)} HTTP/1.1\r\nHost: testserver \r\n{lines.format(raw)}\r\n{length}"
    return f"{text}Content-Type: application/json \t\r\nSec-Fetch-Site: same-origin\r\n\r\n".encode()


def comparable(reply: Reply) -> Reply:
    headers = {name: value for name, value in reply.headers.items() if name not in MOMENTS}
    if "content-length" in headers:
        headers["content-length"] = str(int(headers["content-length"]) == len(reply.body.encode()))
    return Reply(reply.status, headers, CHANGING.sub("…", RECEIPT.sub("…", reply.body)))


@pytest.fixture
def raw_tokens() -> list[str]:
    """A log-in for each form."""
    people = UserFactory.bulk_create(sum(map(len, FORMS.values())) + len(FORMS))
    return tokens.issue_many(people, kind=AccessToken.Kind.API)


def run(work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    async def serve() -> None:
        async with serving() as port:
            await work(port)

    asyncio.run(serve())


@pytest.mark.parametrize("target", [CLAIM, PERSONAL, DOCUMENT, API, PAGE], ids=lambda target: target.line)
def test_every_form_is_answered_like_the_plain_one(
    make_sale: MakeSale, raw_tokens: list[str], target: Target
) -> None:
    sale = make_sale(units=100)
    unused = iter(raw_tokens)
    different: dict[str, object] = {}

    async def compare(port: int) -> None:
        for plain, forms in FORMS.items():
            if target is (PAGE if "Authorization" in plain else API):
                continue
            expected: list[Reply] = []
            for lines in (plain, *forms):
                raw = next(unused)
                head = write_head(target, sale, lines, raw)
                found = [comparable(reply) for reply in await exchange(port, head, target.body)]
                expected = expected or found
                if found != expected:
                    different[lines] = [
                        [part for part in zip(*pair, strict=True) if part[0] != part[1]]
                        for pair in zip(found, expected, strict=False)
                    ]
            assert [reply.status for reply in expected] == [target.status, 200], expected

    run(compare)
    assert not different, different


@pytest.mark.curl
def test_a_client_that_offers_http_2_is_answered_by_http_1_1(
    make_sale: MakeSale, raw_tokens: list[str]
) -> None:
    sale = make_sale(units=2)

    async def post(url: str, body: str, *options: str) -> bytes:
        command = ("curl", "--silent", "--http2", "--max-time", "60", "--write-out", " %{http_code}", url)
        headers = ("-H", "Content-Type: application/json", "--data", body)
        curl = await asyncio.create_subprocess_exec(
            *command, *headers, *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        said, complaint = await curl.communicate()
        assert not complaint
        return said

    async def use_curl(port: int) -> None:
        site = f"http://localhost:{port}/api"
        login = ("-H", f"Authorization: Bearer {raw_tokens[0]}")
        claim = await post(f"{site}/vouchers/{sale.pk}/seckill", '{"request_token": "mine"}', *login)
        assert b'"order_id"' in claim
        assert claim.endswith(b" 201")
        person = await post(f"{site}/me", '{"nickname": "Somebody"}', "--request", "PATCH", *login)
        assert b'"nickname": "Somebody"' in person

    run(use_curl)


def test_a_body_that_looks_like_a_request_is_no_request() -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    head = b"POST /api/auth/code HTTP/1.1\r\nHost: testserver\r\nContent-Length: %d\r\n" % len(NEXT)

    async def send(port: int) -> None:
        plain, offered = [await exchange(port, head + lines + b"\r\n", NEXT) for lines in (b"", offer)]
        assert [comparable(reply) for reply in offered] == [comparable(reply) for reply in plain]
        assert [reply.status for reply in offered] == [400, 200]

    run(send)
