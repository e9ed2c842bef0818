"""wrk sends what Python would, and takes each person through the steps of a journey."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lab.bench.seckill import request_generator
from lab.bench.seckill.request_generator import RequestPlan, RequestResults
from tests.crowd import people
from tests.crowd.parsed_request import ParsedRequest

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
Fire = Callable[[RequestPlan, Callable[[], object]], RequestResults]
#: Empty where wrk isn't installed.
WRK: list[Fire] = [request_generator.run_with_wrk] if request_generator.WRK else []


def token(person: int) -> str:
    return f"{person:043d}"


@pytest.fixture
def recorder() -> Iterator[tuple[str, list[bytes]]]:
    """A server's URL and the requests that it gets, each answered with 200."""
    received: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_answer_each, args=(listening, received), daemon=True).start()
    with listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", received


def _answer_each(listening: socket.socket, received: list[bytes]) -> None:
    """Serve one connection after the other, as a client with one connection needs it."""
    # Until the test closes the socket; wrk resets its connection when its time is over.
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            with connection, suppress(ConnectionError):
                while raw := connection.recv(65_536):
                    received.append(raw)
                    connection.sendall(ANSWER)


@pytest.mark.parametrize("fire", WRK)
def test_wrk_takes_each_person_through_the_steps(
    fire: Fire, tmp_path: Path, recorder: tuple[str, list[bytes]]
) -> None:
    url, received = recorder
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("\n".join(map(token, range(50))))
    plan = RequestPlan(url, [7], tokens, "aim1-", connections=1, seconds=1, crowd=people.journey(), wave=10)
    fire(plan, request_generator.no_watch)
    # wrk makes one request to look at it, and does not send it.
    first_wave = [ParsedRequest(raw) for raw in received[:39]]
    for person in range(1, 10):
        own = [one for one in first_wave if token(person) in one.headers["cookie"]]
        assert [(one.method, one.path) for one in own] == [
            ("GET", "/vouchers/7/"),
            ("GET", "/api/me/page?sale=7"),
            ("POST", "/api/vouchers/7/seckill"),
            ("GET", "/api/me/page?sale=7"),
        ]
        assert own[2].body == b'{"request_token": "aim1-%019d"}' % person
        assert {one.headers["user-agent"] for one in own} == {own[0].headers["user-agent"]}


@pytest.mark.parametrize("fire", WRK)
def test_wrk_sends_what_python_would(fire: Fire, tmp_path: Path, recorder: tuple[str, list[bytes]]) -> None:
    url, received = recorder
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("\n".join(map(token, range(50))))
    crowd = people.claims_browser()
    plan = RequestPlan(url, [7], tokens, "", connections=1, seconds=1, crowd=crowd)
    fire(plan, request_generator.no_watch)
    host = url.removeprefix("http://")
    for person, raw in enumerate(received[:40], start=1):
        (template,) = crowd[person % len(crowd)]
        assert raw == template.fill(host, token=token(person), sale=7, person=person, turn=person)
