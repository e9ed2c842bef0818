"""Django behind ASGI: bodies, headers and answers arrive as they were sent."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.front.page_threads import CROWDED, MAX_WAITING_OF_ADDRESS
from apps.front.wsgi_bridge import MAX_BODY_IN_MEMORY, MAX_UNASKED_BYTES, WsgiBridge
from apps.web.body_limits import BODY_WAITS
from tests import asgi_client

Start = Callable[[str, list[tuple[str, str]]], object]


def echo(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """Says what it was asked."""
    start("200 OK", [("Content-Type", "application/json"), ("X-Twice", "a"), ("X-Twice", "b")])
    shown = {name: value for name, value in environ.items() if isinstance(value, str)}
    return [json.dumps(shown | {"body": environ["wsgi.input"].read().decode("latin-1")}).encode()]


def ask(application: Any, path: str = "/", *, max_body_bytes: int = 100, **options: Any) -> dict[str, str]:
    bridge = WsgiBridge(application, threads=2, max_body_bytes=lambda path: max_body_bytes)
    said = asgi_client.run_together(lambda: asgi_client.send_request(bridge, path, **options))[0]
    assert said.status == 200
    found: dict[str, str] = json.loads(said.body)
    return found


def test_a_request_arrives_whole() -> None:
    headers = [("content-type", "text/plain"), ("content-length", "3"), ("accept", "a"), ("accept", "b")]
    seen = ask(echo, "/caf%C3%A9/", query="q=%E4%BD%A0", headers=headers, body=b"abc")
    assert seen["PATH_INFO"].encode("latin-1").decode() == "/café/"
    assert (seen["QUERY_STRING"], seen["body"], seen["CONTENT_LENGTH"]) == ("q=%E4%BD%A0", "abc", "3")
    assert (seen["CONTENT_TYPE"], seen["HTTP_ACCEPT"], seen["REMOTE_ADDR"]) == (
        "text/plain",
        "a, b",
        "127.0.0.1",
    )


def test_a_header_with_an_underscore_is_nobodys() -> None:
    assert "HTTP_X_FORWARDED_FOR" not in ask(echo, headers=[("x_forwarded_for", "10.0.0.1")])


def test_what_is_not_ascii_in_a_query_is_no_crash() -> None:
    assert ask(echo, query="q=é")["QUERY_STRING"].encode("latin-1").decode() == "q=é"


@pytest.mark.parametrize(
    "headers",
    [
        [("content-length", "101")],
        [("content-length", "9" * 30)],
        [("content-length", "many")],
        [("transfer-encoding", "chunked")],
    ],
)
def test_a_body_that_is_refused_anyway_is_not_read(headers: list[tuple[str, str]]) -> None:
    """The application sees the same headers, and refuses it by them."""
    assert ask(echo, headers=headers, body=b"x" * 101)["body"] == ""
    assert ask(echo, headers=[("content-length", "100")], body=b"x" * 100)["body"] == "x" * 100


def test_a_long_body_is_a_file() -> None:
    kinds = []

    def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        kinds.append(bool(getattr(environ["wsgi.input"], "_rolled", False)))
        return echo(environ, start)

    bridge = WsgiBridge(application, threads=1, max_body_bytes=lambda path: 10**9)
    for size in (80, MAX_BODY_IN_MEMORY // 80):
        parts = [{"type": "http.request", "body": b"x" * size, "more_body": True}] * 90
        last = {"type": "http.request", "body": b"y", "more_body": False}
        assert response_to(bridge, [*parts, last])["body"] == "x" * size * 90 + "y"
    assert kinds == [False, True]


def test_a_long_body_is_read_when_it_is_wanted() -> None:
    """By each way to read it; the application begins anew with all of it."""
    body, asked = b"line\n" * MAX_UNASKED_BYTES, list[str]()
    readers: list[Callable[[Any], bytes]] = [
        lambda stream: bytes(stream.read()),
        lambda stream: bytes(stream.read(9) + stream.read()),
        lambda stream: b"".join(stream),
        lambda stream: b"".join(stream.readlines()),
        lambda stream: bytes(stream.readline() + stream.read()),
    ]
    for read in readers:

        def application(
            environ: dict[str, Any], start: Start, read: Callable[[Any], bytes] = read
        ) -> Iterable[bytes]:
            asked.append("waits" if BODY_WAITS in environ else "is there")
            start("200 OK", [])
            is_whole = read(environ["wsgi.input"]) == body
            return [json.dumps({"body": "whole" if is_whole else "other"}).encode()]

        headers = [("content-length", str(len(body)))]
        assert ask(application, headers=headers, body=body, max_body_bytes=10**9) == {"body": "whole"}
    assert asked == ["waits", "is there"] * len(readers)


@pytest.mark.parametrize("length", [MAX_UNASKED_BYTES + 1, 10**8])
def test_what_is_answered_by_the_head_reads_no_body(length: int) -> None:
    """The client says nothing but its head, and has its answer."""

    def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        start("403 Forbidden", [])
        return [b'{"refused": true}']

    bridge = WsgiBridge(application, threads=1, max_body_bytes=lambda path: 10**9)
    assert response_to(bridge, [], [("content-length", str(length))]) == {"refused": True}


def test_a_client_that_is_gone_is_not_answered() -> None:
    asked: list[object] = []

    def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        asked.append(environ)
        return []

    bridge = WsgiBridge(application, threads=1, max_body_bytes=lambda path: 9)
    assert response_to(bridge, [{"type": "http.disconnect"}]) == {}
    assert asked == []


class Parts:
    """A long answer that wants to be closed."""

    def __init__(self, many: int) -> None:
        self.many, self.closed, self.threads = many, 0, set[str]()

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self.many):
            self.threads.add(threading.current_thread().name)
            yield b"x" * 600_000

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("many", [0, 1, 2, 9])
def test_a_long_answer_comes_in_parts_and_is_closed_once(many: int) -> None:
    parts = Parts(many)

    def application(environ: dict[str, Any], start: Start) -> Parts:
        start("200 OK", [])
        return parts

    bridge = WsgiBridge(application, threads=1, max_body_bytes=lambda path: 9)
    said = asgi_client.run_together(lambda: asgi_client.send_request(bridge, "/"))[0]
    assert len(said.body) == many * 600_000
    assert parts.closed == 1
    assert all(name.startswith("django") for name in parts.threads)


def test_a_long_answer_ends_when_its_reader_is_gone() -> None:
    parts, sent = Parts(1_000), list[object]()

    def application(environ: dict[str, Any], start: Start) -> Parts:
        start("200 OK", [])
        return parts

    async def leave_after_three_parts() -> None:
        third = asyncio.Event()
        asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            for message in asked:
                return message
            await third.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)
            if len(sent) > 3:
                third.set()

        await WsgiBridge(application, threads=1, max_body_bytes=lambda path: 9)(
            asgi_client._build_scope("GET", "/", "", []), receive, send
        )

    asyncio.run(leave_after_three_parts())
    assert 4 <= len(sent) < 10
    assert parts.closed == 1


def test_slow_ones_wait_beside_each_other() -> None:
    both = threading.Barrier(2, timeout=60)

    def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        both.wait()
        start("204 No Content", [])
        return []

    bridge = WsgiBridge(application, threads=4, max_body_bytes=lambda path: 9)
    said = asgi_client.run_together(
        lambda: asgi_client.send_request(bridge, "/"), lambda: asgi_client.send_request(bridge, "/")
    )
    assert [one.status for one in said] == [204, 204]


def test_one_address_leaves_threads_to_others(settings: Settings) -> None:
    """Those of the greedy one end only when somebody else has been answered."""
    settings.TRUSTED_PROXIES = 1
    other_is_answered, lock = threading.Event(), threading.Lock()
    now, most = 0, 0

    def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        nonlocal now, most
        if environ["HTTP_X_FORWARDED_FOR"] == "10.0.0.2":
            other_is_answered.set()
        else:
            with lock:
                now += 1
                most = max(most, now)
            assert other_is_answered.wait(60)
            with lock:
                now -= 1
        start("204 No Content", [])
        return []

    bridge = WsgiBridge(application, threads=4, max_body_bytes=lambda path: 9)
    addresses = ["10.0.0.1"] * 8 + ["10.0.0.2"]
    asked = [partial(asgi_client.send_request, bridge, "/", headers=[("x-forwarded-for", address)])
             for address in addresses]  # fmt: skip
    assert {one.status for one in asgi_client.run_together(*asked)} == {204}
    assert most == bridge.pages.share == 2


def test_who_gets_no_thread_is_refused_by_the_application() -> None:
    free, refused = threading.Event(), list[int]()

    def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        if status := environ.get(CROWDED):
            refused.append(status)
            free.set()
        else:
            assert free.wait(60)
        start(f"{status or 204} Told", [])
        return []

    bridge = WsgiBridge(application, threads=2, max_body_bytes=lambda path: 9)
    asked = [partial(asgi_client.send_request, bridge, "/")] * (MAX_WAITING_OF_ADDRESS + 2)
    said = asgi_client.run_together(*asked)
    assert refused == [429]
    assert [one.status for one in said] == [204] * (MAX_WAITING_OF_ADDRESS + 1) + [429]


@pytest.mark.django_db
@pytest.mark.parametrize(("status", "code"), [(429, "too_many_requests"), (503, "busy")])
def test_the_refusal_is_a_page_or_a_problem_and_says_when_to_come_again(
    client: Client, status: int, code: str
) -> None:
    crowded: dict[str, Any] = {CROWDED: status}
    page, problem = client.get("/search/?q=tea", **crowded), client.get("/api/shops", **crowded)
    for answer in (page, problem):
        assert (answer.status_code, answer["Retry-After"]) == (status, "2")
    assert "<h1" in page.content.decode()
    assert problem.json()["code"] == code
    chinese = client.get("/search/?q=tea", headers={"accept-language": "zh-CN"}, **crowded)
    assert chinese["Content-Language"] == "zh-hans"


def response_to(
    bridge: WsgiBridge, messages: list[dict[str, Any]], headers: asgi_client.Headers | None = None
) -> dict[str, Any]:
    """What is answered to these messages of a client, as JSON."""
    said: list[dict[str, Any]] = []
    waiting = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(waiting)

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    asyncio.run(bridge(asgi_client._build_scope("POST", "/", "", headers or []), receive, send))
    found: dict[str, Any] = json.loads(said[1]["body"]) if said else {}
    return found
