"""Weather of a running Redis server: it answers, and refuses writes or every command."""

import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

import redis

from tests.redis_kit import keys
from tests.sites import wait_until

#: A script that runs until SCRIPT KILL, and the milliseconds after which the server says so.
ENDLESS, BUSY_MS = "while true do end", 10

Weather = Callable[[redis.Redis], AbstractContextManager[None]]


@contextmanager
def full_disk_of(pid: int) -> Iterator[None]:
    """Let a process write no file for the block; CPython and its children ignore the signal for it."""
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def full_disk(connected: redis.Redis) -> Iterator[None]:
    """The append-only file can't be written: MISCONF."""
    with full_disk_of(int(connected.info("server")["process_id"])):
        wait_until(lambda: _is_refused(connected), seconds=60, otherwise="the server still writes")
        yield
    wait_until(lambda: not _is_refused(connected), seconds=60, otherwise="the server doesn't write again")


@contextmanager
def full_memory(connected: redis.Redis) -> Iterator[None]:
    """The data has reached maxmemory: OOM."""
    with _configured(connected, "maxmemory", 1):
        yield


@contextmanager
def too_few_replicas(connected: redis.Redis) -> Iterator[None]:
    """The server wants a replica that isn't there: NOREPLICAS."""
    with _configured(connected, "min-replicas-to-write", 1):
        yield


@contextmanager
def read_only(connected: redis.Redis) -> Iterator[None]:
    """The server is a replica of one that is away: READONLY."""
    connected.replicaof("127.0.0.1", 1)
    try:
        yield
    finally:
        connected.replicaof("NO", "ONE")


@contextmanager
def busy_script(connected: redis.Redis) -> Iterator[None]:
    """A script runs on and on: BUSY."""
    with _configured(connected, "busy-reply-threshold", BUSY_MS):
        running = threading.Thread(target=_run_endless, args=[connected])
        running.start()
        wait_until(lambda: _is_refused(connected), seconds=60, otherwise="the server isn't busy")
        try:
            yield
        finally:
            connected.script_kill()
            running.join()


@contextmanager
def _configured(connected: redis.Redis, name: str, value: int) -> Iterator[None]:
    before = str(connected.config_get(name)[name])
    connected.config_set(name, value)
    try:
        yield
    finally:
        connected.config_set(name, before)


def _run_endless(connected: redis.Redis) -> None:
    with suppress(redis.RedisError):
        connected.eval(ENDLESS, 0)


def _is_refused(connected: redis.Redis) -> bool:
    try:
        connected.incr(keys.COUNTER(name="refused"))
    except redis.RedisError:
        return True
    return False
