"""How many files one must read to follow a request from the parser's bytes to the answer's bytes.

Each goes through the site's own front: its gate, its lens, its routes, and Django's middleware.
"""

import asyncio
from collections.abc import Sequence

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection

from apps.accounts.models import AccessToken, User
from apps.accounts.personal.route import PersonalRoute
from apps.accounts.sessions import tokens
from apps.backoffice.lens.front import LoopLens
from apps.chat import chats
from apps.chat.live_topics import list_topics
from apps.coupons.gateway import streaming
from apps.coupons.gateway.route import ClaimRoute
from apps.front.documents import page_requests
from apps.front.documents.route import DocumentRoute
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit import client
from apps.siteconfig.maintenance.gate import MaintenanceGate
from apps.web.body_limits import max_body_bytes
from tests import walks
from tests.blog import makers as notes
from tests.coupons.conftest import MakeSale, make_sale, shop
from tests.protocol_client import Connection

__all__ = ["make_sale", "shop"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_server("the way of a request to it: a Cluster's client takes more files"),
]
BEARER, COOKIE = "Authorization: Bearer {}", "Sec-Fetch-Site: same-origin\r\nCookie: savor_token={}"
#: A claim to its entry in the stream, and a page from its fresh document.
CLAIM_FILES, DOCUMENT_FILES = 23, 16
#: What any request of a program with a log-in takes (the middleware, mostly), and a like besides: four of
#: these are the search worker's, whose task runs at once in tests, and five keep what the commit owes.
ANY_FILES, LIKE_FILES = 55, 29
#: A like by the heart of a card, the search worker's files with it, and a chat message, drawn for the page.
PAGE_LIKE_FILES, PAGE_MESSAGE_FILES = 29, 22


def follow(line: str, *lines: str, status: int, body: str = "") -> list[str]:
    """The files that the last of these requests takes; the ones before it fill what is cached."""
    page_requests.forget_settings()
    plain = WSGIHandler()
    django = walks.Followed(plain)
    routes = ClaimRoute(), PersonalRoute(plain), streaming.build_route(list_topics), DocumentRoute(plain)
    bridge = WsgiBridge(django, threads=1, max_body_bytes=max_body_bytes)

    async def run() -> list[str]:
        connection = Connection(*routes, application=bridge, gate=MaintenanceGate(plain), lens=LoopLens())
        head = f"{line} HTTP/1.1\r\nHost: testserver"
        form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        *before, last = [f"{head}\r\n{one}\r\n{form if body else ''}\r\n{body}".encode() for one in lines]
        try:
            for one in before:
                assert (await connection.answer(one)).status == status
            with django.following() as entered:
                assert (await connection.answer(last)).status == status
        finally:
            await client.aclose_all()
        return walks.files(entered)

    return asyncio.run(run())


@pytest.fixture
def raw_tokens(alice: User, bob: User) -> Sequence[str]:
    return tokens.issue_many([alice, bob], kind=AccessToken.Kind.API)


@pytest.mark.parametrize("log_in", [BEARER, COOKIE])
def test_a_claims_walk_is_short(make_sale: MakeSale, raw_tokens: Sequence[str], log_in: str) -> None:
    line = f"POST /api/vouchers/{make_sale().pk}/seckill"
    walked = follow(line, *map(log_in.format, raw_tokens), status=201)
    assert "coupons/gateway/route.py" in walked
    assert "front/asgi.py" not in walked
    assert len(walked) <= CLAIM_FILES, "\n".join(walked)


def test_a_fresh_documents_walk_is_short(alice: User) -> None:
    notes.note(alice)
    walked = follow("GET /notes/", *["Accept-Language: en"] * 3, status=200)
    assert "front/documents/route.py" in walked
    assert "front/asgi.py" not in walked
    assert len(walked) <= DOCUMENT_FILES, "\n".join(walked)


def test_a_likes_walk_is_no_longer_than_it_is(raw_tokens: Sequence[str], charlie: User) -> None:
    log_ins = [BEARER.format(raw) for raw in raw_tokens]
    usual = follow("GET /api/me", *log_ins, status=200)
    assert "front/wsgi_bridge.py" in usual
    # The site's own database backend for PostgreSQL is two more.
    assert len(usual) <= ANY_FILES + 2 * (connection.vendor == "postgresql"), usual
    like = follow(f"PUT /api/notes/{notes.note(charlie).pk}/like", *log_ins, status=200)
    own = sorted({*like} - {*usual})
    assert "blog/likes.py" in own
    assert len(own) <= LIKE_FILES, own


def test_a_pages_like_and_message_take_no_more_files_than_they_do(
    alice: User, bob: User, raw_tokens: Sequence[str], charlie: User
) -> None:
    log_ins = [COOKIE.format(raw) + "\r\nHX-Request: true" for raw in raw_tokens]
    usual = {
        *follow("GET /me/sessions/", *log_ins, status=200),
        *follow("POST /i18n/setlang/", *log_ins, status=302, body="language=en"),
    }
    chat = chats.create_group(alice.pk, [bob.pk], "Hotpot")
    like = follow(f"POST /notes/{notes.note(charlie).pk}/like/", *log_ins, status=200, body="liked=1")
    message = follow(f"POST /chats/{chat.pk}/messages/", *log_ins, status=201, body="text=At+six%3F")
    for walked, most in ((like, PAGE_LIKE_FILES), (message, PAGE_MESSAGE_FILES)):
        own = sorted({*walked} - usual)
        assert len(own) <= most, own
