"""What the gateway reads out of a request, and which requests it leaves to Django."""

from typing import Any

import pytest
from django import http
from hypothesis import example, given
from hypothesis import strategies as st

from apps.accounts.sessions import cookies, tokens
from apps.coupons.gateway import claim_requests
from apps.coupons.gateway.claim_answers import Claim
from apps.coupons.gateway.route import ClaimRoute
from apps.front.route import Exchange, Message
from apps.web.problems.ids import MAX_ROW_ID
from tests.protocol_client import Connection

TOKEN, OTHER = f"{'t' * 43}.5", "Q-_4" * 10 + "abc.6"
HEADERS = (
    b"Host: testserver\r\nAuthorization: Bearer %b\r\nAccept: */*\r\n"
    b"Idempotency-Key: %b\r\nContent-Length: 0\r\n"
)


def raw_request(
    voucher: str = "7", token: str = TOKEN, key: str = "k1", headers: bytes = HEADERS, body: bytes = b""
) -> bytes:
    values = [token.encode(), key.encode()][: headers.count(b"%b")]
    head = b"POST /api/vouchers/%b/seckill HTTP/1.1\r\n%b\r\n" % (voucher.encode(), headers % tuple(values))
    if not body:
        return head
    length = b"Content-Length: %d\r\nContent-Type: application/json" % len(body)
    without_key = head.replace(b"Idempotency-Key: %b\r\n" % key.encode(), b"")
    return without_key.replace(b"Content-Length: 0", length) + body


class RecordingRoute(ClaimRoute):
    """Keeps the claims with a log-in that a connection reads, and answers none."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def answer(self, claim: Claim, _exchange: Exchange) -> None:
        if claim.digest:
            self.claims.append(claim)


async def parse_with_protocol(data: bytes) -> list[Claim]:
    """The claims that a new connection reads out of these bytes."""
    route = RecordingRoute()
    Connection(route, application=_application).send(data)
    return route.claims


def read(path: bytes, headers: dict[bytes, bytes], body: bytes = b"") -> Claim | None:
    return claim_requests.read(Message(b"POST", path, "http", headers, "127.0.0.1", body))


async def _application(scope: Any, receive: Any, send: Any) -> None: ...


@pytest.mark.parametrize(
    "headers",
    [
        HEADERS,
        b"AUTHORIZATION: bearer %b\r\nIDEMPOTENCY-KEY: %b\r\nHOST: testserver\r\n",
        b"X: Authorization: Bearer "
        + TOKEN.encode()
        + b"\r\nAuthorization:Bearer %b\r\nIdempotency-Key:%b\r\nHost:testserver\r\n",
    ],
)
async def test_headers_in_any_order_and_case(headers: bytes) -> None:
    data = raw_request("12", OTHER, "x-Y_9", headers=headers)
    (claim,) = await parse_with_protocol(data)
    assert claim[:4] == (tokens.digest(OTHER), 12, "x-Y_9", 6)


@pytest.mark.parametrize("voucher", ["0", "9223372036854775808", "7x", ""])
async def test_a_path_without_a_row_id_is_no_claim(voucher: str) -> None:
    assert await parse_with_protocol(raw_request(voucher=voucher)) == []


COOKIE = f"savor_token={TOKEN}".encode()


@pytest.mark.parametrize(
    ("header", "raw"),
    [
        (None, ""),
        (b"", ""),
        (b"a=b; c", ""),
        (COOKIE, TOKEN),
        (b"a=b; " + COOKIE + b"; c=d", TOKEN),
        (b"a=b;" + COOKIE, TOKEN),
        (b"django_language=zh-hans; " + COOKIE, TOKEN),
        (b"savor_token=", ""),
        (b"savor_token=short", "short"),
        (COOKIE + b"; savor_token=other", "other"),
        (b'savor_token="' + TOKEN.encode() + b'"', TOKEN),
        (b"savor_token =x", "x"),
        (b"a=savor_token=x", ""),
        (b"xsavor_token=x", ""),
        (b"savor_token=x y", "x y"),
        (b"django_language=\xff", ""),
    ],
)
def test_the_cookie_of_a_browser_is_found(header: bytes | None, raw: str) -> None:
    found = tokens.find_sent({} if header is None else {b"cookie": header})
    by_django = http.parse_cookie((header or b"").decode(errors="replace"))
    assert found == raw == by_django.get(cookies.TOKEN_COOKIE, "")


@pytest.mark.parametrize(
    ("authorization", "raw"),
    [(b"Bearer T", "T"), (b"BEARER T", "T"), (b"Bearer", None), (b"Basic T", None), (b"", TOKEN)],
)
def test_an_authorization_header_alone_decides(authorization: bytes, raw: str | None) -> None:
    assert tokens.find_sent({b"authorization": authorization, b"cookie": COOKIE}) == raw


def test_a_cookie_with_escapes_is_left_to_django() -> None:
    path, host = b"/api/vouchers/7/seckill", {b"host": b"testserver"}
    assert read(path, host | {b"cookie": b"a=b; " + COOKIE, b"sec-fetch-site": b"same-origin"})
    assert read(path, host | {b"cookie": b"a=\\000; " + COOKIE, b"sec-fetch-site": b"same-origin"}) is None


@pytest.mark.parametrize(
    ("kind", "body", "token"),
    [
        ("application/json", b"{}", None),
        ("application/json", b" { }\n", None),
        ("application/json; charset=UTF-8", b'{"request_token":"a-1"}', "a-1"),
        ("application/json", b'{ "request_token" : "a_1" }', "a_1"),
        ("application/x-www-form-urlencoded", b"request_token=a1", "a1"),
        ("application/x-www-form-urlencoded", b"", None),
        ("application/json", b"", None),
        ("text/plain;charset=UTF-8", b"", None),
    ],
)
def test_a_plain_body_is_read(kind: str, body: bytes, token: str | None) -> None:
    headers = {b"content-type": kind.encode()}
    found = claim_requests._read_request_token(headers, body, is_form=False)
    assert found == token if token else len(found or "") == 32
    headers[b"idempotency-key"] = b"header"
    assert claim_requests._read_request_token(headers, body, is_form=False) == "header"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"units": 2}'),
        ("application/json", b'{"request_token": "a", "request_token": "b"}'),
        ("application/json", b'{"request_token": null}'),
        ("application/json", b'{"request_token": "a b"}'),
        ("application/json", b'{"request_token": "\\u0061"}'),
        ("application/json", b"\x0b{}"),
        ("application/json;charset=hex", b""),
        ("application/x-www-form-urlencoded", b"request_token="),
        ("application/x-www-form-urlencoded", b"request_token=a&request_token=b"),
        ("application/x-www-form-urlencoded", b"request_token=%61"),
        ("multipart/form-data; boundary=x", b"--x--"),
        ("text/plain;charset=UTF-8", b"{}"),
        ("", b"{}"),
    ],
)
def test_an_odd_body_is_left_to_django(kind: str, body: bytes) -> None:
    assert claim_requests._read_request_token({b"content-type": kind.encode()}, body, is_form=False) is None


@pytest.mark.parametrize(
    "key", [b"a b", b"", b" ", b"k" * 65, b"a:b", "ключ".encode(), "１".encode(), b"a\tb", b"'; --"]
)
def test_a_malformed_request_token_is_left_to_django(key: bytes) -> None:
    assert claim_requests._read_request_token({b"idempotency-key": key}, b"", is_form=False) is None


_edits = st.lists(
    st.tuples(
        st.integers(0, len(raw_request())),
        st.integers(0, 3),
        st.one_of(
            st.binary(max_size=3), st.sampled_from([b"\r\n", b": ", b"\r\nContent-Length: 5", b"0", b"/"])
        ),
    ),
    min_size=1,
    max_size=3,
)


@given(edits=_edits)
@example(edits=[(19, 1, b"08")])
@example(edits=[(20, 0, b"\x00")])
async def test_however_it_is_edited_the_claim_names_a_row_and_a_safe_token(edits: Any) -> None:
    data = raw_request()
    for index, removed, inserted in edits:
        data = data[:index] + inserted + data[index + removed :]
    for request in await parse_with_protocol(data):
        assert 0 < request.voucher_id <= MAX_ROW_ID
        assert len(request.digest) == 64
        assert request.user_id > 0
        assert all(character.isalnum() or character in "-_" for character in request.request_token)


def test_only_plain_heads_are_the_route_s() -> None:
    path = b"/api/vouchers/7/seckill"
    plain = {b"host": b"testserver", b"authorization": b"Bearer " + TOKEN.encode()}
    assert read(path, plain)
    assert read(path, {b"authorization": plain[b"authorization"]}) is None
    assert read(path, plain | {b"content-encoding": b"gzip"}) is None
    assert read(path, plain | {b"user-agent": b"c" * 9_000}) is None
    assert read(b"/vouchers/7/grab/", {b"host": b"testserver", b"cookie": COOKIE, b"sec-fetch-site": b"none"})


@pytest.mark.parametrize(("length", "is_read"), [(b"1024", True), (b"1025", False), (b"99999", False)])
async def test_a_long_body_is_the_applications(length: bytes, is_read: bool) -> None:
    body = b"{" + b" " * (int(length) - 2) + b"}"
    assert bool(await parse_with_protocol(raw_request(body=body))) is is_read


async def test_a_body_of_unknown_length_is_the_applications() -> None:
    chunked = HEADERS.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    assert await parse_with_protocol(raw_request(headers=chunked) + b"0\r\n\r\n") == []
