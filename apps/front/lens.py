"""What the front knows of the request lens (apps.backoffice.lens): who asks for it, and when it records."""

from collections.abc import Mapping
from typing import Protocol

from apps.front.response import Response
from apps.front.route import Message
from apps.redis_kit.observers import Callers

#: A cookie of browsers, or a header of programs, holds the signed token of the lens.
LENS_COOKIE, LENS_HEADER = "savor_lens", "X-Savor-Lens"
_COOKIE, _HEADER = LENS_COOKIE.encode(), LENS_HEADER.lower().encode()


def asks_for_lens(fields: Mapping[bytes, bytes]) -> bool:
    """Whether a head, its names in small letters, brings a token, which may not be a good one."""
    return _HEADER in fields or _COOKIE in fields.get(b"cookie", b"")


class Recording(Protocol):
    """The record of one request to a route; the exchanges of `callers` belong to it."""

    @property
    def callers(self) -> Callers: ...

    async def end(self, response: Response) -> Response:
        """The response with what the lens adds, once the record is kept."""

    def abandon(self) -> None:
        """Record no more and keep nothing."""


class Lens(Protocol):
    """Records requests whose heads bring a good token."""

    def begin(self, message: Message) -> Recording | None:
        """The begun record of a request; None for one that isn't recorded."""
