"""The crowd itself: no two requests are alike, lengths are right, and wrk sends what Python would."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httptools
import pytest

from tests.bench.honest_crowd import agents, people
from tests.bench.honest_crowd.request_templates import Crowd
from tests.bench.seckill import request_generator
from tests.bench.seckill.request_generator import RequestPlan, RequestResults

HOST = "127.0.0.1:8000"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
Fire = Callable[[RequestPlan, Callable[[], object]], RequestResults]
#: Empty where wrk isn't installed.
WRK: list[Fire] = [request_generator.run_with_wrk] if request_generator.WRK else []
CLAIMS: list[Callable[[], Crowd]] = [
    people.claims_json,
    people.claims_app,
    people.claims_script,
    people.claims_browser,
    people.claims_form,
    people.claims_mixed,
]


class Parsed:
    """One request as a server's parser reads it."""

    def __init__(self, raw: bytes) -> None:
        self.headers: dict[str, str] = {}
        self.body, self.path, self.is_complete = b"", "", False
        self._parser = httptools.HttpRequestParser(self)
        self._parser.feed_data(raw)
        self.method = self._parser.get_method().decode()

    def on_url(self, url: bytes) -> None:
        self.path += url.decode()

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode()

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.is_complete = True


def token(person: int) -> str:
    return f"{person:043d}"


def requests_of(crowd: Crowd, person: int, turn: int) -> list[bytes]:
    kind = crowd[person % len(crowd)]
    return [template.fill(HOST, token=token(person), sale=7, person=person, turn=turn) for template in kind]


@pytest.mark.parametrize("make", [*CLAIMS, people.personal, people.journey, people.journey_before])
def test_requests_are_whole_and_no_two_are_alike(make: Callable[[], Crowd]) -> None:
    crowd = make()
    sent = [requests_of(crowd, person, turn=person)[0] for person in range(200)]
    assert len(set(sent)) == len(sent)
    for raw in sent:
        parsed = Parsed(raw)
        assert parsed.is_complete
        assert "<<" not in raw.decode()
        assert len(parsed.body) == int(parsed.headers.get("content-length", "0"))


def test_the_mixed_crowd_is_browsers_apps_and_scripts() -> None:
    sent = [Parsed(requests_of(people.claims_mixed(), person, turn=1)[0]) for person in range(100)]
    seen = {one.headers["user-agent"] for one in sent}
    assert {browser.agent for browser in agents.BROWSERS} <= seen
    assert len(seen) > len(agents.BROWSERS) + 3
    assert len({one.headers.get("accept-language") for one in sent}) > 4
    assert {"close", "keep-alive"} <= {one.headers.get("connection") for one in sent}
    assert {one.path for one in sent} == {"/api/vouchers/7/seckill", "/vouchers/7/grab/"}


@pytest.mark.parametrize("make", [people.claims_browser, people.claims_form])
def test_a_browser_says_where_its_request_comes_from(make: Callable[[], Crowd]) -> None:
    for person in range(20):
        headers = Parsed(requests_of(make(), person, turn=1)[0]).headers
        assert (headers["origin"], headers["sec-fetch-site"]) == (f"http://{HOST}", "same-origin")
        assert token(person) in headers["cookie"]
        assert "authorization" not in headers


def test_a_person_keeps_to_their_agent() -> None:
    crowd = people.claims_app()
    first, again = (Parsed(requests_of(crowd, 3, turn)[0]) for turn in (1, 2))
    assert first.headers["user-agent"] == again.headers["user-agent"]
    assert first.headers != again.headers or first.body != again.body


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
    first_wave = [Parsed(raw) for raw in received[:39]]
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
