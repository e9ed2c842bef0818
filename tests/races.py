"""Runs one function in many threads that start together at a barrier."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

Race = Callable[[int, Callable[[int], object]], list[object]]
#: SQL connections of ended threads, for reuse: connecting takes longer than most acts.
_idle: list[BaseDatabaseWrapper] = []


def race(many: int, act: Callable[[int], object]) -> list[object]:
    """Return the results of act(0) … act(many - 1), all started at once; exceptions are returned too."""
    start, answers = threading.Barrier(many), list[object]([None] * many)

    def one(number: int, connected: BaseDatabaseWrapper | None) -> None:
        if connected:
            connections["default"] = connected
        start.wait()
        try:
            answers[number] = act(number)
        except Exception as error:
            answers[number] = error
        finally:
            connections["default"].inc_thread_sharing()
            _idle.append(connections["default"])

    spare = [_idle.pop() if _idle else None for _ in range(many)]
    threads = [threading.Thread(target=one, args=pair) for pair in enumerate(spare)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@contextmanager
def start_round(start: threading.Barrier, *, me: str, first: str | None) -> Iterator[None]:
    """Begin the block together with the other of two threads.

    Where one of the two is the `first`, the other waits for the end of its block.
    """
    start.wait()
    if first not in (me, None):
        start.wait()
    yield
    if first == me:
        start.wait()


def close_idle_connections() -> None:
    """Close the SQL connections that wait for the next race."""
    while _idle:
        _idle.pop().close()
