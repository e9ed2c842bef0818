"""Several locks as one: all or none, taken in the order of their names, so that two never deadlock."""

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from typing import Any

from apps.redis_kit.locks import owners
from apps.redis_kit.locks.errors import NotAcquired
from apps.redis_kit.locks.hold import Hold
from apps.redis_kit.locks.lock import Lock


@dataclass(frozen=True)
class MultiLock:
    """A context manager that holds several locks and gives one Hold for each, in the order of their names.

    with locks.multi(locks.lock("a"), locks.lock("b"), wait=3) as holds: …
    """

    locks: tuple[Lock, ...]
    wait: float | None = None
    _holds_by_owner: dict[str, list[Any]] = field(default_factory=dict, compare=False, repr=False)

    def __enter__(self) -> list[Hold]:
        left = self._remaining_wait()
        with ExitStack() as taken:
            for lock in self.locks:
                if not lock.acquire(blocking_timeout=left()):
                    raise NotAcquired(f"{lock.name} is held by another", lock_name=lock.name)
                taken.callback(lock.release)
            self._holds_by_owner.setdefault(owners.current_owner(), []).append(taken.pop_all())
        return [lock.hold for lock in self.locks]

    def __exit__(self, *error: object) -> None:
        self._pop_stack().close()

    async def __aenter__(self) -> list[Hold]:
        left = self._remaining_wait()
        async with AsyncExitStack() as taken:
            for lock in self.locks:
                if not await lock.aacquire(blocking_timeout=left()):
                    raise NotAcquired(f"{lock.name} is held by another", lock_name=lock.name)
                taken.push_async_callback(lock.arelease)
            self._holds_by_owner.setdefault(owners.current_owner(), []).append(taken.pop_all())
        return [lock.hold for lock in self.locks]

    async def __aexit__(self, *error: object) -> None:
        await self._pop_stack().aclose()

    def _pop_stack(self) -> Any:
        stacks = self._holds_by_owner[owners.current_owner()]
        stack = stacks.pop()
        if not stacks:
            del self._holds_by_owner[owners.current_owner()]
        return stack

    def _remaining_wait(self) -> Any:
        """A function that gives the seconds left of the whole wait; None without an end."""
        if self.wait is None:
            return lambda: None
        deadline = time.monotonic() + self.wait
        return lambda: max(0.0, deadline - time.monotonic())


def multi(*locks: Lock, wait: float | None = None) -> MultiLock:
    """All of these locks at once, or NotAcquired after `wait` seconds; ValueError for a name given twice."""
    named: Sequence[Lock] = sorted({lock.name: lock for lock in locks}.values(), key=lambda lock: lock.name)
    if len(named) < len(locks):
        raise ValueError("multi takes every name once")
    return MultiLock(tuple(named), wait)
