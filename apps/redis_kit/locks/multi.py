"""Several locks as one: all or nothing, always taken in the order of their names, so two never deadlock."""

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
    """`with multi(lock("a"), lock("b"), wait=3) as holds:` one Hold for each, in the order of the names."""

    locks: tuple[Lock, ...]
    wait: float | None = None
    _held: dict[str, list[Any]] = field(default_factory=dict, compare=False, repr=False)

    def __enter__(self) -> list[Hold]:
        left = self._remaining_wait()
        with ExitStack() as taken:
            for lock in self.locks:
                if not lock.acquire(blocking_timeout=left()):
                    raise NotAcquired(f"{lock.name} is held by somebody else", lock_name=lock.name)
                taken.callback(lock.release)
            self._held.setdefault(owners.current_owner(), []).append(taken.pop_all())
        return [lock.hold for lock in self.locks]

    def __exit__(self, *error: object) -> None:
        self._pop_stack().close()

    async def __aenter__(self) -> list[Hold]:
        left = self._remaining_wait()
        async with AsyncExitStack() as taken:
            for lock in self.locks:
                if not await lock.aacquire(blocking_timeout=left()):
                    raise NotAcquired(f"{lock.name} is held by somebody else", lock_name=lock.name)
                taken.push_async_callback(lock.arelease)
            self._held.setdefault(owners.current_owner(), []).append(taken.pop_all())
        return [lock.hold for lock in self.locks]

    async def __aexit__(self, *error: object) -> None:
        await self._pop_stack().aclose()

    def _pop_stack(self) -> Any:
        stacks = self._held[owners.current_owner()]
        stack = stacks.pop()
        if not stacks:
            del self._held[owners.current_owner()]
        return stack

    def _remaining_wait(self) -> Any:
        """() -> seconds of the whole wait that are left; None when it is for ever."""
        if self.wait is None:
            return lambda: None
        deadline = time.monotonic() + self.wait
        return lambda: max(0.0, deadline - time.monotonic())


def multi(*locks: Lock, wait: float | None = None) -> MultiLock:
    """All of them at once; the same name twice in one mode is one lock."""
    named: Sequence[Lock] = sorted({lock.name: lock for lock in locks}.values(), key=lambda lock: lock.name)
    if len(named) < len(locks):
        raise ValueError("multi takes every name once")
    return MultiLock(tuple(named), wait)
