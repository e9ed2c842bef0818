"""What the gateway reads out of a request, and which requests it leaves to Django."""

from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.accounts.sessions import tokens
from apps.coupons.gateway import claim_requests
from apps.coupons.gateway.admission import ClaimRequest
from apps.web.problems.ids import MAX_ROW_ID
from tests.protocol_client import Connection

TOKEN, OTHER = "t" * 43, "Q-_4" * 10 + "abc"
HEADERS = (
    b"Host: testserver\r\nAuthorization: Bearer %b\r\nAccept: */*\r\n"
    b"Idempotency-Key: %b\r\nContent-Length: 0\r\n"
)


def raw_request(voucher: str = "7", token: str = TOKEN, key: str = "k1", headers: bytes = HEADERS) -> bytes:
    values = [token.encode(), key.encode()][: headers.count(b"%b")]
    return b"POST /api/vouchers/%b/seckill HTTP/1.1\r\n%b\r\n" % (voucher.encode(), headers % tuple(values))


class RecordingGateway:
    """Keeps the claims that a connection submits, and answers none."""

    def __init__(self) -> None:
        self.requests: list[ClaimRequest] = []

    def put(self, request: ClaimRequest, _waiter: Any) -> None:
        self.requests.append(request)


async def parse_with_protocol(data: bytes) -> list[ClaimRequest]:
    """The claims that a new connection reads out of these bytes."""
    gateway = RecordingGateway()
    Connection(cast(Any, gateway), application=_application).send(data)
    return gateway.requests


async def _application(scope: Any, receive: Any, send: Any) -> None: ...


@pytest.mark.parametrize(
    "headers",
    [
        HEADERS,
        b"idempotency-key: %b\r\nauthorization: Bearer " + OTHER.encode() + b"\r\nhost: testserver\r\n",
        b"AUTHORIZATION: bearer %b\r\nIDEMPOTENCY-KEY: %b\r\n",
        b"X: Authorization: Bearer "
        + TOKEN.encode()
        + b"\r\nAuthorization:Bearer %b\r\nIdempotency-Key:%b\r\n",
    ],
)
async def test_headers_in_any_order_and_case(headers: bytes) -> None:
    key = OTHER if headers.startswith(b"idempotency-key") else "x-Y_9"
    values = (key, "") if headers.startswith(b"idempotency-key") else (OTHER, key)
    data = raw_request("12", *values, headers=headers)
    assert await parse_with_protocol(data) == [ClaimRequest(tokens.digest(OTHER), 12, key)]


@pytest.mark.parametrize("voucher", ["0", "9223372036854775808", "7x", ""])
async def test_a_path_without_a_row_id_is_no_claim(voucher: str) -> None:
    assert await parse_with_protocol(raw_request(voucher=voucher)) == []


@pytest.mark.parametrize("token", ["t" * 42, "t" * 42 + "!", ""])
async def test_a_malformed_token_reaches_no_decision(token: str) -> None:
    assert claim_requests.parse(7, {b"authorization": b"Bearer " + token.encode()}).digest == ""


@pytest.mark.parametrize("key", ["a b", "", "k" * 65])
async def test_a_malformed_request_token_reads_as_empty(key: str) -> None:
    assert await parse_with_protocol(raw_request(key=key)) == [ClaimRequest(tokens.digest(TOKEN), 7, "")]


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
        assert all(character.isalnum() or character in "-_" for character in request.request_token)


def test_only_plain_headers_are_the_gateways() -> None:
    assert claim_requests.plain_headers([(b"host", b"a"), (b"content-length", b"0")])
    for name in claim_requests.DJANGO_HEADERS:
        assert claim_requests.plain_headers([(name, b"1")]) is None
    assert claim_requests.plain_headers([(b"host", b"a"), (b"host", b"b")]) is None
