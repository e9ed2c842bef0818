"""A connection that claims: answers in order, no waiter left behind, and nothing else is touched."""

import asyncio
import re
from collections.abc import Sequence

import pytest
from django.db import OperationalError

from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.gateway import admission, claim_answers
from apps.coupons.gateway.claim_answers import Claim
from apps.coupons.gateway.route import ClaimRoute
from apps.front.response import Response
from tests.coupons.gateway.manual_route import ManualRoute
from tests.coupons.gateway.test_claim_requests import HEADERS, OTHER, raw_request
from tests.protocol_client import Connection

RECEIPT_MEMBER = re.compile(r', "receipt": "1\.[\w.-]+"')
PAGE = b"GET /page HTTP/1.1\r\nHost: testserver\r\n\r\n"


@pytest.fixture
def claims() -> ManualRoute:
    return ManualRoute()


@pytest.fixture
async def connection(claims: ManualRoute) -> Connection:
    return Connection(claims, application=claims.site)


async def bodies(connection: Connection) -> list[str]:
    """What was answered once the loop has nothing more to do at once, without receipts."""
    for _ in range(10):
        await asyncio.sleep(0)
    return [RECEIPT_MEMBER.sub("", said.body) for said in connection.answers]


async def test_one_claim_after_the_other(claims: ManualRoute, connection: Connection) -> None:
    for number in range(1, 4):
        connection.send(raw_request(str(number), OTHER, f"k{number}"))
        claims.decide(ClaimAnswer(Outcome.ACCEPTED, number))
        assert (await bodies(connection))[-1] == f'{{"order_id": "{number}"}}'
    assert [(ask.voucher_id, ask.request_token) for ask in claims.asks] == [
        (1, "k1"),
        (2, "k2"),
        (3, "k3"),
    ]
    assert not claims.site.asked
    assert {said.headers["date"] for said in connection.answers} == {"Sun, 22 Nov 2026 12:00:00 GMT"}


async def test_claims_and_pages_take_turns(claims: ManualRoute, connection: Connection) -> None:
    for data in (raw_request(), PAGE, raw_request("8"), raw_request("9"), PAGE):
        connection.send(data)
        if data != PAGE:
            claims.decide()
        await bodies(connection)
    assert await bodies(connection) == [
        '{"order_id": "5"}',
        "page",
        '{"order_id": "5"}',
        '{"order_id": "5"}',
        "page",
    ]


async def test_a_request_cut_anywhere_is_one_request(claims: ManualRoute, connection: Connection) -> None:
    data = raw_request()
    for cut in range(1, len(data)):
        connection.send(raw_request())
        claims.decide()
        await bodies(connection)
        connection.send(data[:cut])
        connection.send(data[cut:])
        claims.decide()
        assert len(await bodies(connection)) == 2 * cut
    assert {said.status for said in connection.answers} == {201}


async def test_what_is_sent_before_the_answer_waits_for_its_turn(
    claims: ManualRoute, connection: Connection
) -> None:
    connection.send(raw_request())
    connection.send(raw_request() + PAGE + PAGE[:10])
    assert await bodies(connection) == []
    claims.decide()
    # Only now the second one asks.
    assert await bodies(connection) == ['{"order_id": "5"}']
    claims.decide(ClaimAnswer(Outcome.SOLD_OUT))
    connection.send(PAGE[10:])
    said = await bodies(connection)
    assert [said[0], *said[2:]] == ['{"order_id": "5"}', "page", "page"]
    assert '"code": "sold_out"' in said[1]


async def test_who_leaves_leaves_the_line(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request())
    connection.leave()
    assert not claims.is_awaited
    assert await bodies(connection) == []


async def test_who_sends_no_more_gets_the_answer(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request())
    assert connection.protocol.eof_received()
    assert not connection.transport.is_closing()
    claims.decide()
    assert await bodies(connection) == ['{"order_id": "5"}']
    assert connection.answers[0].headers["connection"] == "close"
    assert connection.transport.is_closing()


@pytest.mark.parametrize("sent", [b"", raw_request()[:-1], raw_request(body=b"{}")[:-1], PAGE[:-1]])
async def test_half_a_request_of_who_sends_no_more_waits_for_nothing(
    claims: ManualRoute, connection: Connection, sent: bytes
) -> None:
    connection.send(raw_request())
    claims.decide()
    await bodies(connection)
    if sent:
        connection.send(sent)
    assert not connection.protocol.eof_received()


async def test_an_answer_that_comes_too_late_is_nobodys(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request())
    claims.decide(ClaimAnswer(Outcome.NOT_STARTED))
    connection.leave()
    assert await bodies(connection) == []


async def test_each_is_answered_in_its_language(claims: ManualRoute, connection: Connection) -> None:
    chinese = raw_request(headers=HEADERS + b"Accept-Language: zh-Hans\r\n")
    for data in (raw_request(), raw_request(), chinese, raw_request(), chinese, chinese):
        connection.send(data)
        claims.decide(ClaimAnswer(Outcome.SOLD_OUT))
        await bodies(connection)
    languages = [said.headers["content-language"] for said in connection.answers]
    assert languages == ["en", "en", "zh-hans", "en", "zh-hans", "zh-hans"]


async def test_a_body_in_pieces_is_one_claim(claims: ManualRoute, connection: Connection) -> None:
    data = raw_request(body=b'{"request_token": "b1"}')
    for cut in range(1, len(data)):
        connection.send(data[:cut])
        connection.send(data[cut:])
        claims.decide()
        assert len(await bodies(connection)) == cut
    assert {said.status for said in connection.answers} == {201}
    assert {ask.request_token for ask in claims.asks} == {"b1"}
    assert not claims.site.asked


async def test_a_body_that_is_odd_reaches_the_application_whole(
    claims: ManualRoute, connection: Connection
) -> None:
    data = raw_request(body=b'{"units": 2}')
    for cut in range(len(data) - 12, len(data)):
        connection.send(data[:cut])
        connection.send(data[cut:])
        await bodies(connection)
    assert claims.site.bodies == [b'{"units": 2}'] * 12
    connection.send(raw_request(body=b"x" * 1_025))
    assert len(await bodies(connection)) == 13
    assert claims.site.bodies[-1] == b"x" * 1_025
    connection.send(raw_request())
    claims.decide()
    assert (await bodies(connection))[-1] == '{"order_id": "5"}'


async def test_close_closes(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request(headers=HEADERS + b"Connection: close\r\n"))
    assert not connection.transport.is_closing()
    claims.decide()
    assert await bodies(connection)
    assert connection.transport.is_closing()
    assert connection.answers[0].headers["connection"] == "close"


async def test_a_server_that_ends_answers_first(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request())
    connection.protocol.shutdown()
    assert not connection.transport.is_closing()
    claims.decide()
    assert await bodies(connection) == ['{"order_id": "5"}']
    assert connection.transport.is_closing()


async def test_a_fault_of_ours_is_said_and_the_connection_goes_on(
    claims: ManualRoute, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    connection.send(raw_request())
    claims.decide(ZeroDivisionError("ours"))
    await bodies(connection)
    assert connection.answers[0].status == 500
    assert "ours" in caplog.text
    connection.send(raw_request())
    claims.decide()
    assert (await bodies(connection))[1] == '{"order_id": "5"}'


async def test_an_answer_that_fails_harms_no_neighbour(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(claim: Claim, answer: ClaimAnswer) -> Response:
        raise AssertionError("ours")

    async def refuse_second(asks: Sequence[Claim]) -> list[ClaimAnswer]:
        outcomes = [Outcome.SOLD_OUT if ask.voucher_id == 2 else Outcome.ACCEPTED for ask in asks]
        return [ClaimAnswer(outcome, ask.voucher_id) for outcome, ask in zip(outcomes, asks, strict=True)]

    monkeypatch.setattr(claim_answers, "answer_refused", fail)
    monkeypatch.setattr(admission, "admit", refuse_second)
    claims = ClaimRoute()
    crowd = [Connection(claims) for _ in range(3)]
    for number, one in enumerate(crowd, start=1):
        one.send(raw_request(str(number)))
    first, second, third = [await bodies(one) for one in crowd]
    assert (first, third) == (['{"order_id": "1"}'], ['{"order_id": "3"}'])
    assert [answer.status for answer in crowd[1].answers] == [500], second
    assert "ours" in caplog.text


async def test_without_sql_it_is_busy(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request())
    claims.decide(OperationalError("SQL is away"))
    assert '"code": "busy"' in (await bodies(connection))[0]
    assert connection.answers[0].headers["retry-after"] == "2"


async def test_who_reads_no_answers_is_made_to_wait(claims: ManualRoute, connection: Connection) -> None:
    for _ in range(2):
        connection.send(raw_request())
        claims.decide()
        await bodies(connection)
    connection.protocol.pause_writing()
    connection.send(raw_request())
    assert len(await bodies(connection)) == 2
    assert len(claims.asks) == 2
    connection.protocol.resume_writing()
    await bodies(connection)
    claims.decide()
    assert len(await bodies(connection)) == 3


@pytest.mark.parametrize(
    "data",
    [
        raw_request().replace(b"/seckill", b"/seckill?a=1"),
        raw_request(token="t" * 43),
        raw_request(body=b"x"),
        raw_request(headers=HEADERS.replace(b"testserver", b"elsewhere")),
        raw_request(headers=HEADERS.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked"))
        + b"0\r\n\r\n",
    ],
)
async def test_the_unusual_is_the_applications(
    claims: ManualRoute, connection: Connection, data: bytes
) -> None:
    connection.send(data)
    assert (await bodies(connection))[-1:] == ["page"]
