"""A held lock: its fencing token, and how long it is still held."""

import time
from dataclasses import dataclass, field
from threading import Event

from apps.redis_kit.locks.errors import LockNotOwnedError
from apps.redis_kit.locks.protocol import Request


@dataclass(eq=False)
class Hold:
    """One acquisition. `fence` rises with each acquisition of the lock; `ends` is a monotonic second.

    A holder that was frozen past its lease still believes that it holds. Only the fencing token, compared by
    the store that is written to (`WHERE fence < %s`), keeps it from overwriting its successor.
    """

    request: Request
    using: str
    fence: int
    ends: float
    lost: Event = field(default_factory=Event)

    @property
    def remaining(self) -> float:
        """Seconds left of the lease, by this process's clock; 0.0 when it is lost."""
        return 0.0 if self.lost.is_set() else max(0.0, self.ends - time.monotonic())

    def check(self) -> None:
        """Raise LockNotOwnedError when the lease is over: call it before a step that can't be undone."""
        if not self.remaining:
            raise LockNotOwnedError(f"{self.request.name} is no longer held", lock_name=self.request.name)
