import os
import signal
from collections.abc import Callable, Iterator

import pytest
import redis

from apps.redis_kit import client, embedded, streams
from tests import races
from tests.redis_kit import waiting
from tests.redis_kit.caching import Source
from tests.redis_kit.consuming import Children, Work

Race = Callable[[int, Callable[[int], object]], list[object]]


@pytest.fixture
def frozen_redis(impatient_redis: None, redis_server: embedded.Server) -> Iterator[redis.Redis]:
    """A server that takes commands and does not answer; its clients wait half a second."""
    connected = client.get()
    waiting.patiently(connected.ping)
    os.kill(redis_server.pid, signal.SIGSTOP)
    yield connected
    os.kill(redis_server.pid, signal.SIGCONT)


@pytest.fixture
def race() -> Race:
    """race(100, act) -> what act(0) … act(99) returned, all started at once; an exception is returned too."""
    return races.race


@pytest.fixture
def source() -> Source:
    """Two things, noodles (1) and tea (2), with their loads counted."""
    return Source()


@pytest.fixture
def work() -> Work:
    """A handler for stream entries that remembers what it did."""
    return Work()


@pytest.fixture
def quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries and absent stores are tried again after milliseconds, and unfinished ones every round."""
    for name, seconds in {"FIRST_PAUSE": 0.001, "LONGEST_PAUSE": 0.002, "SWEEP_SECONDS": 0.0}.items():
        monkeypatch.setattr(streams, name, seconds)


@pytest.fixture
def children() -> Iterator[Children]:
    """Forks that do not outlive the test."""
    made = Children()
    yield made
    made.end()
