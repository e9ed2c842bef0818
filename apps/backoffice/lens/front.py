"""Records requests in front of the event loop's own answers and of Django."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from apps.backoffice.lens import access, store
from apps.backoffice.lens.recording import Recording
from apps.front.protocol import LENS_HEADER, asks_for_lens

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
_READ_HEADERS = (b"cookie", LENS_HEADER.lower().encode(), b"sec-fetch-dest")
_TRIPS_HEADER = b"x-redis-trips"


class LensFront:
    """An ASGI application that records requests with a token, and hands every request to the one `behind`.

    What the event loop asks of Redis for several requests together is in the recording of each, as shared.
    """

    def __init__(self, behind: Application) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = _find_session(scope) if scope["type"] == "http" else None
        if session is None:
            await self._behind(scope, receive, send)
            return
        recording = Recording(scope["method"], scope["path"])

        async def send_recorded(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = _add_headers(message, recording)
            elif not message.get("more_body"):
                # Before the last bytes: whoever asks for the panel then finds the request in it.
                recording.finish()
                await asyncio.to_thread(store.keep, session, recording)
            await send(message)

        with recording.running():
            await self._behind(scope, receive, send_recorded)


def _find_session(scope: Scope) -> access.LensSession | None:
    """The session of a request that is to be recorded."""
    sent = {name: value for name, value in scope["headers"] if name in _READ_HEADERS}
    if not asks_for_lens(sent):
        return None
    cookies, header, fetch_dest = (sent.get(name, b"").decode("latin-1") for name in _READ_HEADERS)
    if not access.is_recorded(scope["path"], fetch_dest):
        return None
    return access.find_session(cookies=cookies, header=header)


def _add_headers(message: dict[str, Any], recording: Recording) -> dict[str, Any]:
    """The start of an answer with the lens's headers, unless Django's middleware has set them."""
    recording.status = message["status"]
    if any(name == _TRIPS_HEADER for name, _ in message["headers"]):
        return message
    recording.view = recording.view or "event loop"
    own = [(name.lower().encode(), value.encode()) for name, value in recording.headers().items()]
    return message | {"headers": [*message["headers"], *own]}
