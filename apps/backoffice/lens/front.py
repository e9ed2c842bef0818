"""Records requests that routes answer in the event loop; LensMiddleware records those of Django."""

import asyncio
from typing import NamedTuple

from apps.backoffice.lens import access, store
from apps.backoffice.lens.access import LensSession
from apps.backoffice.lens.recording import Recording
from apps.front.lens import LENS_HEADER
from apps.front.response import Response
from apps.front.route import Message
from apps.redis_kit.observers import Callers

_HEADER = LENS_HEADER.lower().encode()


class RouteRecording(NamedTuple):
    """The recording of a request, for the panel of a session.

    What a route asks of Redis for several requests together is in the recording of each, as shared.
    """

    session: LensSession
    recording: Recording

    @property
    def callers(self) -> Callers:
        return self.recording.callers

    async def end(self, response: Response) -> Response:
        """The response with the lens's headers, once the recording is kept: its panel then finds it."""
        recording = self.recording
        recording.view, recording.status = "event loop", response.status
        recording.finish()
        await asyncio.to_thread(store.keep, self.session, recording)
        own = [(name.lower().encode(), value.encode()) for name, value in recording.headers().items()]
        return Response(response.status, [*response.headers, *own], response.body, route=response.route)

    def abandon(self) -> None:
        """Record no more: Django answers, or a stream has begun."""
        self.recording.finish()


class LoopLens:
    """Begins the recordings of requests with a token (front.lens.Lens)."""

    def begin(self, message: Message) -> RouteRecording | None:
        """The begun recording of a request; None for one that isn't recorded."""
        path, fetch_dest = message.target.partition(b"?")[0].decode("latin-1"), b"sec-fetch-dest"
        if not access.is_recorded(path, message.fields.get(fetch_dest, b"").decode("latin-1")):
            return None
        cookies, header = (message.fields.get(name, b"").decode("latin-1") for name in (b"cookie", _HEADER))
        session = access.find_session(cookies=cookies, header=header)
        if session is None:
            return None
        recording = Recording(message.method.decode(), path)
        recording.start()
        return RouteRecording(session, recording)
