"""The event loop's gate: a closed site claims nothing, and what was read before is answered."""

import asyncio

import pytest
from django.utils import timezone

from apps.siteconfig.maintenance import passes
from apps.siteconfig.maintenance.gate import MaintenanceGate
from apps.siteconfig.maintenance.switch import Announcement, switch
from config.wsgi import application as django_application
from tests.coupons.gateway.manual_route import ManualRoute
from tests.coupons.gateway.test_claim_requests import raw_request
from tests.protocol_client import Connection

PAGE = b"GET /page HTTP/1.1\r\nHost: testserver\r\n%b\r\n"


@pytest.fixture
def claims() -> ManualRoute:
    return ManualRoute()


@pytest.fixture
async def connection(claims: ManualRoute) -> Connection:
    return Connection(claims, application=claims.site, gate=MaintenanceGate(django_application))


def close() -> Announcement:
    switch.closed = Announcement(since=timezone.now(), text_en="Back soon.")
    return switch.closed


async def test_a_claim_is_refused_before_anything_acts_on_it(
    claims: ManualRoute, connection: Connection
) -> None:
    close()
    answer = await connection.answer(raw_request(body=b'{"request_token": "r"}'))
    assert (answer.status, answer.headers["content-type"]) == (503, "application/problem+json")
    assert answer.headers["retry-after"] == "30"
    assert '"code": "maintenance"' in answer.body
    assert not claims.asks
    assert not claims.site.asked


async def test_a_claim_that_was_read_before_is_decided(claims: ManualRoute, connection: Connection) -> None:
    connection.send(raw_request())
    close()
    claims.decide()
    await asyncio.sleep(0)
    assert [answer.status for answer in connection.answers] == [201]


async def test_a_page_comes_from_one_copy_until_the_site_opens(
    claims: ManualRoute, connection: Connection
) -> None:
    close()
    answers = [await connection.answer(PAGE % b"") for _ in range(3)]
    assert {answer.status for answer in answers} == {503}
    assert len({answer.body for answer in answers}) == 1
    assert "Back soon." in answers[0].body
    in_chinese = await connection.answer(PAGE % b"Accept-Language: zh\r\n")
    assert '<html lang="zh-hans">' in in_chinese.body
    switch.closed = None
    assert (await connection.answer(PAGE % b"")).body == "page"


async def test_a_new_announcement_is_a_new_answer(connection: Connection) -> None:
    close()
    await connection.answer(PAGE % b"")
    switch.closed = Announcement(since=timezone.now(), text_en="A little longer.")
    assert "A little longer." in (await connection.answer(PAGE % b"")).body


async def test_staff_with_a_pass_claim_and_read(claims: ManualRoute, connection: Connection) -> None:
    cookie = f"Cookie: {passes.PASS_COOKIE}={passes.make_pass(close())}\r\n".encode()
    assert (await connection.answer(PAGE % cookie)).body == "page"
    assert (await connection.answer(PAGE % b"Cookie: maintenance_pass=x\r\n")).status == 503


@pytest.mark.parametrize("path", [b"/healthz", b"/readyz", b"/metrics", b"/admin/", b"/static/css/base.css"])
async def test_some_paths_stay_open(connection: Connection, path: bytes) -> None:
    close()
    assert (await connection.answer((PAGE % b"").replace(b"/page", path))).status == 200


async def test_a_refused_body_does_not_spoil_the_next_request(connection: Connection) -> None:
    close()
    body = b"x" * 2000
    head = b"POST /notes/ HTTP/1.1\r\nHost: testserver\r\nContent-Length: 2000\r\n\r\n"
    assert (await connection.answer(head + body[:10])).status == 503
    connection.send(body[10:])
    assert (await connection.answer(PAGE % b"")).status == 503
