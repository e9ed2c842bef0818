"""Several locks as one: all or none, taken in the order of their names, so that two never deadlock."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from dataclasses import dataclass

from apps.redis_kit.locks.holding import Hold
from apps.redis_kit.locks.lock import Lock
from apps.redis_kit.locks.protocol import LockNotOwnedError, NotAcquired


@dataclass(frozen=True)
class MultiLock:
    """A context manager that holds several locks and gives one Hold for each, in the order of their names.

    While it waits for one, the lease of another may end. So each lease begins anew once all are taken, and
    NotAcquired says that one had ended.

    with locks.multi(locks.lock("a"), locks.lock("b"), wait=3) as holds: …
    """

    locks: tuple[Lock, ...]
    wait: float | None = None

    def __enter__(self) -> list[Hold]:
        left = self._remaining_wait()
        with ExitStack() as taken:
            for lock in self.locks:
                if not lock.acquire(blocking_timeout=left()):
                    raise _refusal(lock)
                taken.callback(_release_quietly, lock)
            for lock in self.locks[:-1]:
                with _refused_when_lost(lock):
                    lock.reacquire()
            taken.pop_all()
        return [lock.hold for lock in self.locks]

    def __exit__(self, *error: object) -> None:
        with ExitStack() as given_back:
            for lock in self.locks:
                given_back.callback(lock.release)

    async def __aenter__(self) -> list[Hold]:
        left = self._remaining_wait()
        async with AsyncExitStack() as taken:
            for lock in self.locks:
                if not await lock.aacquire(blocking_timeout=left()):
                    raise _refusal(lock)
                taken.push_async_callback(_arelease_quietly, lock)
            for lock in self.locks[:-1]:
                with _refused_when_lost(lock):
                    await lock.areacquire()
            taken.pop_all()
        return [lock.hold for lock in self.locks]

    async def __aexit__(self, *error: object) -> None:
        async with AsyncExitStack() as given_back:
            for lock in self.locks:
                given_back.push_async_callback(lock.arelease)

    def _remaining_wait(self) -> Callable[[], float | None]:
        """A function that gives the seconds left of the whole wait; None without an end."""
        if self.wait is None:
            return lambda: None
        deadline = time.monotonic() + self.wait
        return lambda: max(0.0, deadline - time.monotonic())


def multi(*locks: Lock, wait: float | None = None) -> MultiLock:
    """All given locks at once, or NotAcquired after `wait` seconds; ValueError for a name given twice."""
    named: Sequence[Lock] = sorted({lock.name: lock for lock in locks}.values(), key=lambda lock: lock.name)
    if len(named) < len(locks):
        raise ValueError("multi takes every name once")
    return MultiLock(tuple(named), wait)


def _refusal(lock: Lock) -> NotAcquired:
    return NotAcquired(f"{lock.name} is held by another", lock_name=lock.name)


@contextmanager
def _refused_when_lost(lock: Lock) -> Iterator[None]:
    try:
        yield
    except LockNotOwnedError as error:
        reason = f"the lease of {lock.name} ended while another lock was waited for"
        raise NotAcquired(reason, lock_name=lock.name) from error


def _release_quietly(lock: Lock) -> None:
    with suppress(LockNotOwnedError):
        lock.release()


async def _arelease_quietly(lock: Lock) -> None:
    with suppress(LockNotOwnedError):
        await lock.arelease()
