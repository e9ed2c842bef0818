"""A claim that is known by its shape is read as the parser reads it, or not at all."""

from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.accounts import tokens
from apps.coupons import claim_requests
from apps.coupons.admission import Ask
from apps.coupons.claim_requests import shape_of
from tests.connections import Connection

TOKEN, OTHER = "t" * 43, "Q-_4" * 10 + "abc"
HEADERS = (
    b"Host: testserver\r\nAuthorization: Bearer %b\r\nAccept: */*\r\n"
    b"Idempotency-Key: %b\r\nContent-Length: 0\r\n"
)


def request(voucher: str = "7", token: str = TOKEN, key: str = "k1", headers: bytes = HEADERS) -> bytes:
    values = [token.encode(), key.encode()][: headers.count(b"%b")]
    return b"POST /api/vouchers/%b/seckill HTTP/1.1\r\n%b\r\n" % (voucher.encode(), headers % tuple(values))


class Recorder:
    """In the gateway's place: what was asked, and nobody is ever answered."""

    def __init__(self) -> None:
        self.asks: list[Ask] = []

    def put(self, ask: Ask, _waiter: Any) -> None:
        self.asks.append(ask)


async def parsed(data: bytes) -> list[Ask]:
    """What the parser makes of it on a new connection."""
    recorder = Recorder()
    Connection(cast(Any, recorder), application=_nobody).send(data)
    return recorder.asks


async def _nobody(scope: Any, receive: Any, send: Any) -> None: ...


def test_the_next_one_is_known_by_its_shape() -> None:
    shape = shape_of(request())
    assert shape
    assert shape.read(request("12", OTHER, "x-Y_9")) == Ask(tokens.digest(OTHER), 12, "x-Y_9")


@pytest.mark.parametrize(
    "headers",
    [
        b"idempotency-key: %b\r\nauthorization: Bearer " + TOKEN.encode() + b"\r\nhost: testserver\r\n",
        b"AUTHORIZATION: bearer %b\r\n",
        b"X: Authorization: Bearer " + OTHER.encode() + b"\r\nAuthorization: Bearer %b\r\n",
    ],
)
async def test_in_any_order_and_case(headers: bytes) -> None:
    shape = shape_of(request(headers=headers))
    again = request("8", OTHER, headers=headers)
    assert shape
    known, (read,) = shape.read(again), await parsed(again)
    assert known
    has_key = b"key" in headers
    assert (known.digest, known.voucher_id) == (read.digest, read.voucher_id)
    assert known.request_token == read.request_token or not has_key


@pytest.mark.parametrize(
    "other",
    [
        request(voucher="0"),
        request(voucher="9223372036854775808"),
        request(voucher="7x"),
        request(voucher=""),
        request(token="t" * 42),
        request(token="t" * 42 + "!"),
        request(key="a b"),
        request(key=""),
        request(key="k" * 65),
        request(headers=HEADERS.replace(b"testserver", b"TESTSERVER")),
        request(headers=HEADERS.replace(b"Length: 0", b"Length: 1")) + b"x",
        request() + request(),
        request()[:-1],
        request()[1:],
        b"",
    ],
)
def test_what_differs_in_more_is_not_known(other: bytes) -> None:
    shape = shape_of(request())
    assert shape
    assert shape.read(other) is None


@pytest.mark.parametrize(
    "data",
    [
        request(headers=b"Host: testserver\r\n"),
        request(headers=b"Authorization: Basic %b\r\n"),
        request(headers=b"Authorization:Bearer %b\r\n"),
        request()[:-2],
        request() + b"x",
        request(voucher="7").replace(b"POST", b"GET"),
    ],
)
def test_no_shape_is_made_of_it(data: bytes) -> None:
    assert shape_of(data) is None


_edits = st.lists(
    st.tuples(
        st.integers(0, len(request())),
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
    data = request()
    for place, removed, put in edits:
        data = data[:place] + put + data[place + removed :]
    shape = shape_of(request())
    assert shape
    known = shape.read(data)
    assert known is None or [known] == await parsed(data)


def test_only_plain_headers_are_the_gateways() -> None:
    assert claim_requests.plain([(b"host", b"a"), (b"content-length", b"0")])
    for name in claim_requests.UNUSUAL:
        assert claim_requests.plain([(name, b"1")]) is None
    assert claim_requests.plain([(b"host", b"a"), (b"host", b"b")]) is None
