"""A claim that is known by its shape is read as the parser reads it, or not at all."""

from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.accounts.sessions import tokens
from apps.coupons.gateway import claim_requests
from apps.coupons.gateway.admission import ClaimRequest
from apps.coupons.gateway.claim_requests import learn_shape
from tests.protocol_client import Connection

TOKEN, OTHER = "t" * 43, "Q-_4" * 10 + "abc"
HEADERS = (
    b"Host: testserver\r\nAuthorization: Bearer %b\r\nAccept: */*\r\n"
    b"Idempotency-Key: %b\r\nContent-Length: 0\r\n"
)


def raw_request(voucher: str = "7", token: str = TOKEN, key: str = "k1", headers: bytes = HEADERS) -> bytes:
    values = [token.encode(), key.encode()][: headers.count(b"%b")]
    return b"POST /api/vouchers/%b/seckill HTTP/1.1\r\n%b\r\n" % (voucher.encode(), headers % tuple(values))


class Recorder:
    """In the gateway's place: what was asked, and nobody is ever answered."""

    def __init__(self) -> None:
        self.asks: list[ClaimRequest] = []

    def put(self, ask: ClaimRequest, _waiter: Any) -> None:
        self.asks.append(ask)


async def parse_with_protocol(data: bytes) -> list[ClaimRequest]:
    """What the parser makes of it on a new connection."""
    recorder = Recorder()
    Connection(cast(Any, recorder), application=_nobody).send(data)
    return recorder.asks


async def _nobody(scope: Any, receive: Any, send: Any) -> None: ...


def test_the_next_one_is_known_by_its_shape() -> None:
    shape = learn_shape(raw_request())
    assert shape
    assert shape.read(raw_request("12", OTHER, "x-Y_9")) == ClaimRequest(tokens.digest(OTHER), 12, "x-Y_9")


@pytest.mark.parametrize(
    "headers",
    [
        b"idempotency-key: %b\r\nauthorization: Bearer " + TOKEN.encode() + b"\r\nhost: testserver\r\n",
        b"AUTHORIZATION: bearer %b\r\n",
        b"X: Authorization: Bearer " + OTHER.encode() + b"\r\nAuthorization: Bearer %b\r\n",
    ],
)
async def test_in_any_order_and_case(headers: bytes) -> None:
    shape = learn_shape(raw_request(headers=headers))
    again = raw_request("8", OTHER, headers=headers)
    assert shape
    known, (read,) = shape.read(again), await parse_with_protocol(again)
    assert known
    has_key = b"key" in headers
    assert (known.digest, known.voucher_id) == (read.digest, read.voucher_id)
    assert known.request_token == read.request_token or not has_key


@pytest.mark.parametrize(
    "other",
    [
        raw_request(voucher="0"),
        raw_request(voucher="9223372036854775808"),
        raw_request(voucher="7x"),
        raw_request(voucher=""),
        raw_request(token="t" * 42),
        raw_request(token="t" * 42 + "!"),
        raw_request(key="a b"),
        raw_request(key=""),
        raw_request(key="k" * 65),
        raw_request(headers=HEADERS.replace(b"testserver", b"TESTSERVER")),
        raw_request(headers=HEADERS.replace(b"Length: 0", b"Length: 1")) + b"x",
        raw_request() + raw_request(),
        raw_request()[:-1],
        raw_request()[1:],
        b"",
    ],
)
def test_what_differs_in_more_is_not_known(other: bytes) -> None:
    shape = learn_shape(raw_request())
    assert shape
    assert shape.read(other) is None


@pytest.mark.parametrize(
    "data",
    [
        raw_request(headers=b"Host: testserver\r\n"),
        raw_request(headers=b"Authorization: Basic %b\r\n"),
        raw_request(headers=b"Authorization:Bearer %b\r\n"),
        raw_request()[:-2],
        raw_request() + b"x",
        raw_request(voucher="7").replace(b"POST", b"GET"),
    ],
)
def test_no_shape_is_made_of_it(data: bytes) -> None:
    assert learn_shape(data) is None


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
async def test_however_it_is_edited_it_is_read_as_the_parser_reads_it(edits: Any) -> None:
    data = raw_request()
    for place, removed, put in edits:
        data = data[:place] + put + data[place + removed :]
    shape = learn_shape(raw_request())
    assert shape
    known = shape.read(data)
    assert known is None or [known] == await parse_with_protocol(data)


def test_only_plain_headers_are_the_gateways() -> None:
    assert claim_requests.plain_headers([(b"host", b"a"), (b"content-length", b"0")])
    for name in claim_requests.DJANGO_HEADERS:
        assert claim_requests.plain_headers([(name, b"1")]) is None
    assert claim_requests.plain_headers([(b"host", b"a"), (b"host", b"b")]) is None
