"""A lock over several independent servers, which survives the loss of a minority of them.

Source: https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ with the fencing tokens that
its critics miss: the newest token of the majority is written back to all of it, and any two majorities share
a server, so tokens rise. A server that comes back empty may be counted twice only after the longest lease:
keep it away for that long, or let it persist every write.
"""

import math
import random
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.redis_kit import client
from apps.redis_kit.locks import drivers, owners
from apps.redis_kit.locks.errors import LockError, LockNotOwnedError, NotAcquired
from apps.redis_kit.locks.hold import Hold
from apps.redis_kit.locks.protocol import Answer, Call, Reply, Request

#: Clocks of servers may run apart by this share of a lease, and this many seconds (the source's numbers).
DRIFT_SHARE, DRIFT_SECONDS = 0.01, 0.002
#: Longest pause between two attempts, in seconds; random, so that two rivals don't split the servers again.
MAX_PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class RedLock:
    """Held while more than half of the named connections hold it; `lease` and `wait` are in seconds."""

    name: str
    servers: tuple[str, ...]
    lease: float
    wait: float = 0.0
    last_fence: int = 0
    _holds_by_owner: dict[str, list[Hold]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def quorum(self) -> int:
        return len(self.servers) // 2 + 1

    def acquire(self) -> bool:
        """Try to take it and return whether a majority holds it with time left to use it."""
        deadline = time.monotonic() + self.wait
        while True:
            hold = self._attempt()
            if hold:
                self._holds_by_owner.setdefault(owners.current_owner(), []).append(hold)
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(random.uniform(0.01, MAX_PAUSE_SECONDS))

    def release(self) -> None:
        """Give it back on every server; LockNotOwnedError when no majority held it any more."""
        hold = self.hold
        self._holds_by_owner[owners.current_owner()].pop()
        if sum(bool(reply) for reply in self._call_all(hold.request.release())) < self.quorum:
            raise LockNotOwnedError(f"{self.name} was no longer held by a majority", lock_name=self.name)

    def extend(self, seconds: float) -> None:
        """Let the lease last `seconds` from now; LockNotOwnedError when no majority agrees in time."""
        hold, began = self.hold, time.monotonic()
        agreed = self._call_all(hold.request.extend(round(seconds * 1_000), replace=True))
        hold.ends = began + self._validity(seconds)
        if sum(bool(reply) for reply in agreed) < self.quorum:
            hold.lost.set()
        hold.check()

    @property
    def hold(self) -> Hold:
        """The newest acquisition of this thread; its `remaining` is the validity time. LockError."""
        holds = self._holds_by_owner.get(owners.current_owner())
        if not holds:
            raise LockError(f"{self.name} is not held here", lock_name=self.name)
        return holds[-1]

    def __enter__(self) -> Hold:
        if not self.acquire():
            raise NotAcquired(f"no majority for {self.name}", lock_name=self.name)
        return self.hold

    def __exit__(self, *error: object) -> None:
        self.release()

    def _attempt(self) -> Hold | None:
        request, began = self._request(), time.monotonic()
        replies = self._call_all(request.acquire(join=False))
        tokens = [
            reply.number for reply in replies if isinstance(reply, Reply) and reply.answer is Answer.HELD
        ]
        fence = max(tokens, default=0)
        if len(tokens) >= self.quorum:
            raised = self._call_all(request.extend(request.lease, replace=True, fence=fence))
            hold = Hold(request, "", fence, began + self._validity(self.lease))
            if sum(bool(reply) for reply in raised) >= self.quorum and hold.remaining:
                return hold
        self._call_all(request.release())
        return None

    def _validity(self, seconds: float) -> float:
        return seconds - seconds * DRIFT_SHARE - DRIFT_SECONDS

    def _call_all(self, call: Call) -> Sequence["Reply | bool | None"]:
        """Every server's reply; None from one that is away."""
        return [self._call_server(server, call) for server in self.servers]

    def _call_server(self, server: str, call: Call) -> "Reply | bool | None":
        try:
            return drivers.call(call, client.get(server))
        except client.UNAVAILABLE:
            return None

    def _request(self) -> Request:
        return Request(
            name=self.name,
            mode="w",
            owner=owners.current_owner(),
            acquisition=secrets.token_hex(8),
            lease=math.floor(self.lease * 1_000),
            permits=1,
            fair=False,
            last_fence=self.last_fence,
        )
