import os
import signal
from collections.abc import Callable, Iterator

import pytest
import redis
from pytest_django import Settings

from apps.redis_kit import client, embedded, streams
from tests import races
from tests.redis_kit.caching import Source
from tests.redis_kit.consuming import Children, Work

Race = Callable[[int, Callable[[int], object]], list[object]]


@pytest.fixture
def frozen_redis(guarded_redis: redis.Redis, redis_server: embedded.Server) -> Iterator[redis.Redis]:
    """A server that takes commands and does not answer."""
    os.kill(redis_server.pid, signal.SIGSTOP)
    yield guarded_redis
    os.kill(redis_server.pid, signal.SIGCONT)


@pytest.fixture
def patient_redis(guarded_redis: redis.Redis, settings: Settings) -> Iterator[None]:
    """Deadlines that hundreds of threads on a busy machine don't meet: their test is about something else."""
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {name: options | {"deadline": 20} for name, options in there.items()}
    client.forget()
    yield
    settings.REDIS_CONNECTIONS = there
    client.forget()


@pytest.fixture
def race(patient_redis: None) -> Race:
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
