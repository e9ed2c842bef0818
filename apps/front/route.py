"""A route answers some requests in the event loop, in front of Django; each app has its own in `route.py`.

    class Greeting:
        methods = (b"GET",)

        def read(self, message):
            return message.target[7:] if message.target.startswith(b"/hello/") else None

        def answer(self, name, exchange):
            exchange.set_result(Response(200, [], b"hello " + name, route="hello"))

A connection asks the routes in their order whether a message is theirs, and Django answers what no route
reads. What else a head may hold (an offer to upgrade, an Expect, two lines of one field) is settled before.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from apps.front.response import Response


class Message(NamedTuple):
    """A whole request: its body is short. `target` is the path with the query, `peer` an address.

    Fields are by name in small letters (head_fields).
    """

    method: bytes
    target: bytes
    scheme: str
    fields: Mapping[bytes, bytes]
    peer: str
    body: bytes


#: An answer: there, or to be awaited; None leaves the request to Django.
Reply = Response | Callable[[], Awaitable[Response | None]] | None


class Sink(Protocol):
    """The connection under a stream."""

    @property
    def is_slow(self) -> bool:
        """Whether 64 KiB wait for the client already."""

    def write_chunk(self, chunk: bytes) -> None:
        """Send bytes; nothing happens on a closed connection."""

    def end(self) -> None:
        """Close the connection when everything is sent."""

    def cut(self) -> None:
        """Close the connection at once."""


class Exchange(Sink, Protocol):
    """A message that a route has read, until it is answered: the waiter of a batch, or a stream's sink."""

    message: Message
    #: The loop's time at which its turn came.
    began: float

    def done(self) -> bool:
        """Whether it is answered, or its client has left."""

    def set_result(self, reply: Reply, /) -> None:
        """Answer it."""

    def set_exception(self, error: Exception, /) -> None:
        """Answer it by the route's `answer_failure`."""

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do work for it, in a task."""

    def call_when_lost(self, act: Callable[[], object] | None) -> None:
        """Call the function when the connection is lost; None: call nothing any more."""

    def open_stream(self, head: bytes, first: bytes, *, route: str) -> None:
        """Begin an answer that ends with the connection; `head` is its status line and headers."""


class Route(Protocol):
    """Reads and answers requests; what `read` makes of a message is the route's own."""

    @property
    def methods(self) -> Sequence[bytes]:
        """Those of the messages that `read` gets."""

    def read(self, message: Message) -> Any:
        """The request that a message makes of this route; None for any other."""

    def answer(self, request: Any, exchange: Exchange, /) -> None:
        """Answer it, at once or later."""

    def answer_failure(self, request: Any, error: Exception, /) -> Response | None:
        """The answer when answering has failed; None leaves the request to Django."""
