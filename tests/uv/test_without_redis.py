"""Statistics never slow or break a page, whatever Redis does."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from apps.redis_kit import breaker
from apps.redis_kit import client as redis_client
from apps.redis_kit.breaker import PROBE_SECONDS
from apps.uv import counting, recent
from apps.uv.page_kinds import Scope
from tests.timing import best_seconds, measure_seconds
from tests.uv.browsing import AGENT, new_browser, read_counts

pytestmark = pytest.mark.django_db
DEADLINE = 0.2


class Silent:
    """A server that accepts connections, hears everything, and answers nothing."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.calls: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.socket.getsockname()[1]}/0"

    def _accept(self) -> None:
        try:
            while True:
                self.calls.append(self.socket.accept()[0])
        except OSError:
            return

    def close(self) -> None:
        self.socket.close()
        for call in self.calls:
            call.close()


@pytest.fixture
def silent(settings: Settings) -> Iterator[Silent]:
    """The statistics' connection leads to a server that answers nothing; the others are well."""
    there, server = settings.REDIS_CONNECTIONS, Silent()
    settings.REDIS_CONNECTIONS = there | {"stats": there["stats"] | {"url": server.url, "deadline": DEADLINE}}
    redis_client.close_all()
    yield server
    settings.REDIS_CONNECTIONS = there
    redis_client.close_all()
    server.close()


@pytest.mark.usefixtures("redis_away")
def test_without_redis_pages_are_served_and_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="apps.uv.stats_calls"):
        answers = [new_browser().get("/login/").status_code for _ in range(6)]
        counting.flush()
    assert answers == [200] * 6
    assert len(caplog.records) == 1


def test_a_frozen_redis_delays_no_page(silent: Silent) -> None:
    person = Client(headers={"User-Agent": AGENT})
    Client().get("/login/")
    plain = min(measure_seconds(lambda: Client().get("/login/")) for _ in range(3))
    # No page waits for it.
    assert best_seconds(lambda: person.get("/login/"), below=plain + DEADLINE / 2) < plain + DEADLINE / 2
    counting.flush()
    began, calls = time.monotonic(), len(silent.calls)
    for _ in range(50):
        person.get("/login/")
        counting.flush()
    # The thread that counts waits once a second, and not once a view.
    assert len(silent.calls) - calls <= 2 + (time.monotonic() - began) / PROBE_SECONDS


def test_views_that_pile_up_are_dropped_and_the_room_comes_back(silent: Silent) -> None:
    for number in range(1_500):
        counting.enqueue(counting.View(Scope("home"), f"{number:032}"))
    counting.flush()
    taken = [counting._queue_slots.acquire(blocking=False) for _ in range(1_000)]
    counting._queue_slots.release(sum(taken))
    assert all(taken)


def test_reading_what_was_seen_takes_no_longer(silent: Silent) -> None:
    def read() -> None:
        breaker.forget_all()
        assert recent.newest("u1") == []

    assert best_seconds(read, below=2 * DEADLINE) < 2 * DEADLINE
    assert recent.newest("u1") == []


def test_when_redis_is_back_it_counts_again(redis_away_now: Callable[[], None], settings: Settings) -> None:
    there = settings.REDIS_CONNECTIONS
    redis_away_now()
    new_browser().get("/login/")
    settings.REDIS_CONNECTIONS = there
    redis_client.close_all()
    assert read_counts() == (0, 0)
    new_browser().get("/login/")
    assert read_counts() == (1, 1)
