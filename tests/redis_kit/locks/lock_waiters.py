"""Waiters in threads, and moments to wait for."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from apps.redis_kit import client, keys
from tests import sites

Answer = TypeVar("Answer")


def waiter_ids(name: str) -> list[str]:
    """Who waits for a lock, by turn."""
    return [str(member) for member in client.get().zrange(keys.LOCK_WAITERS(name=name), 0, -1)]


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    sites.wait_until(true, seconds=seconds, every=0.005)


def retry_until_available(act: Callable[[], Answer]) -> Answer:
    """What act() returns, once Redis answers within its deadline, which a crowded machine may miss."""
    answers: list[Answer] = []

    def answered() -> bool:
        with suppress(*client.UNAVAILABLE):
            answers.append(act())
        return bool(answers)

    wait_until(answered)
    return answers[0]


def start_waiter(name: str, act: Callable[[], object]) -> threading.Thread:
    """A thread that runs `act`, once it stands in line for the lock of that name."""
    before = len(waiter_ids(name))
    thread = threading.Thread(target=act)
    thread.start()
    wait_until(lambda: len(waiter_ids(name)) > before or not thread.is_alive())
    return thread


def end_leases(name: str) -> None:
    """As if the time of every holder were over."""
    key = keys.LOCK_HOLDERS(name=name)
    for member in client.get().zrange(key, 0, -1):
        client.get().zadd(key, {str(member): 1})


def add_dead_waiters(name: str, count: int, mode: str = "w") -> None:
    """Waiters of processes that are gone: they stand in line, and nobody listens."""
    dead = {f"{mode}|dead{number}|dead{number}": number for number in range(count)}
    client.get().zadd(keys.LOCK_WAITERS(name=name), dead)
    client.get().expire(keys.LOCK_WAITERS(name=name), 60)
