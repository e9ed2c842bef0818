import os
import signal
from collections.abc import Iterator

import pytest
import redis

from apps.demo import embedded_redis
from apps.redis_kit import client, streams
from tests.redis_kit.cache.cached_things import CountingSource
from tests.redis_kit.locks import lock_waiters
from tests.redis_kit.streams.stream_worker import Children, RecordingHandler


@pytest.fixture
def frozen_redis(impatient_redis: None, redis_server: embedded_redis.Server) -> Iterator[redis.Redis]:
    """A server that takes commands and does not answer; its clients wait half a second."""
    connected = client.get()
    lock_waiters.retry_until_available(connected.ping)
    os.kill(redis_server.pid, signal.SIGSTOP)
    yield connected
    os.kill(redis_server.pid, signal.SIGCONT)


@pytest.fixture
def source() -> CountingSource:
    """Two things, noodles (1) and tea (2), with their loads counted."""
    return CountingSource()


@pytest.fixture
def handler() -> RecordingHandler:
    """A handler for stream entries that remembers what it did."""
    return RecordingHandler()


@pytest.fixture
def quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries and absent stores are tried again after milliseconds, and unfinished ones every round."""
    for name, seconds in {
        "FIRST_PAUSE_SECONDS": 0.001,
        "MAX_PAUSE_SECONDS": 0.002,
        "SWEEP_SECONDS": 0.0,
    }.items():
        monkeypatch.setattr(streams, name, seconds)


@pytest.fixture
def children() -> Iterator[Children]:
    """Forks that do not outlive the test."""
    made = Children()
    yield made
    made.end()
