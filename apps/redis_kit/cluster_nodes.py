"""Connections of an event loop to the nodes of a Cluster: a silent node holds up no call to the others.

A call goes to several nodes at once. While one of them doesn't answer, its commands have a lost connection
for a reply, at once; those of the others have theirs. A PING of its own asks the node again, and no call
waits for it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from redis import exceptions
from redis.asyncio.connection import Connection
from redis.asyncio.connection import SSLConnection as TlsConnection

from apps.redis_kit import breaker
from apps.redis_kit.breaker import Breaker


@dataclass
class NodeCall:
    """One call to some nodes; `send_probe(host, port)` has a node asked again, None: this call asks it."""

    send_probe: Callable[[str, int], None] | None
    #: Breakers of the nodes that have answered nothing, and when each was asked.
    unanswered: dict[Breaker, float] = field(default_factory=dict)

    def note_timeout(self) -> None:
        """The deadline of the call is over."""
        for guard, began in self.unanswered.items():
            guard.note_timeout(began)

    def note_error(self) -> None:
        """The call ended without these answers for another reason."""
        for guard in self.unanswered:
            guard.note_error()


#: The call that the running task makes; without one no breaker is asked, as where slots are read.
CURRENT_CALL: ContextVar[NodeCall | None] = ContextVar("CURRENT_CALL", default=None)


class NodeConnection(Connection):
    """A connection of a Cluster's node, which another caller may close.

    After one caller's error redis-py closes the free connections of the node and reads the slots again.
    A caller that has just taken one of them finds it without its streams: an AttributeError in the library,
    here a lost connection, which callers know how to take.
    """

    _refusal: exceptions.ConnectionError | None = None

    async def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        call, guard = CURRENT_CALL.get(), breaker.of_server(self)
        self._refusal = _refuse(call, guard, self.host, self.port) if call else None
        if self._refusal:
            # Raised for each reply: redis-py gives up a whole call for a command that can't be sent.
            return
        if call:
            call.unanswered.setdefault(guard, guard.clock())
        with _lost_when_closed():
            await super().send_packed_command(command, check_health)

    async def read_response(self, *args: Any, **options: Any) -> Any:
        if self._refusal:
            raise self._refusal
        with _lost_when_closed():
            try:
                reply = await super().read_response(*args, **options)
            except exceptions.ResponseError:
                self._note_answer()
                raise
        self._note_answer()
        return reply

    def _note_answer(self) -> None:
        if call := CURRENT_CALL.get():
            guard = breaker.of_server(self)
            call.unanswered.pop(guard, None)
            guard.note_answer()


class TlsNodeConnection(NodeConnection, TlsConnection):
    """The same, with TLS."""


def _refuse(call: NodeCall, guard: Breaker, host: str, port: int) -> exceptions.ConnectionError | None:
    """Why a node isn't asked, None when it is; sends a probe when one is due."""
    if call.send_probe is None or not guard.is_open:
        return None
    try:
        guard.check()
    except exceptions.ConnectionError as refusal:
        return refusal
    call.send_probe(host, port)
    return exceptions.ConnectionError(f"{host}:{port} has not answered for a while")


@contextmanager
def _lost_when_closed() -> Iterator[None]:
    try:
        yield
    except AttributeError as error:
        raise exceptions.ConnectionError("closed after the error of another caller") from error
